import type { Advice } from '@sluice/client';

/** The time of day in the vectors: 2026-01-01T00:00:00Z, which is 1,767,225,600 seconds after 1970. */
export const NOW_MS = Date.UTC(2026, 0, 1);

export interface HeaderVector {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly advice: readonly Advice[];
}

const requests = (numbers: Omit<Advice, 'unit'>): Advice => ({ unit: 'requests', ...numbers });
const tokens = (numbers: Omit<Advice, 'unit'>): Advice => ({ unit: 'tokens', ...numbers });

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Headers as servers send them, with what they say. */
export const HEADER_VECTORS: readonly HeaderVector[] = [
  {
    title: 'draft 11, one policy',
    headers: { 'ratelimit-policy': '"burst";q=100;w=60', ratelimit: '"burst";r=50;t=30' },
    advice: [requests({ policy: 'burst', limit: 100, windowMs: MINUTE, remaining: 50, resetAfterMs: 30_000 })],
  },
  {
    title: 'draft 11, two policies, of which one has a state',
    headers: { 'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400', ratelimit: '"daily";r=7;t=3600' },
    advice: [
      requests({ policy: 'burst', limit: 100, windowMs: MINUTE }),
      requests({ policy: 'daily', limit: 1000, windowMs: DAY, remaining: 7, resetAfterMs: HOUR }),
    ],
  },
  {
    title: 'draft 11, a unit and no window',
    headers: { 'ratelimit-policy': '"open";q=5;qu="concurrent-requests"', ratelimit: '"open";r=3;t=1' },
    advice: [{ policy: 'open', unit: 'concurrent-requests', limit: 5, remaining: 3, resetAfterMs: 1000 }],
  },
  {
    title: 'draft 11, a unit that nobody registered',
    headers: { 'ratelimit-policy': '"money";q=5;w=60;qu="dollars"', ratelimit: '"money";r=3;t=1' },
    advice: [],
  },
  {
    title: 'draft 11, a state whose policy is not sent',
    headers: { ratelimit: '"burst";r=0;t=30' },
    advice: [requests({ policy: 'burst', remaining: 0, resetAfterMs: 30_000 })],
  },
  {
    title: 'draft 11, the same name from a gateway and from the application behind it',
    headers: {
      'ratelimit-policy': '"default";q=10;w=1, "default";q=100;w=60',
      ratelimit: '"default";r=9;t=1, "default";r=40;t=60',
    },
    advice: [
      requests({ policy: 'default', limit: 10, windowMs: 1000, remaining: 9, resetAfterMs: 1000 }),
      requests({ policy: 'default', limit: 100, windowMs: MINUTE, remaining: 40, resetAfterMs: MINUTE }),
    ],
  },
  {
    title: 'draft 8 of express-rate-limit, with a partition',
    headers: {
      'ratelimit-policy': '"100-in-15min"; q=100; w=900; pk=:MTI3:',
      ratelimit: '"100-in-15min"; r=99; t=900; pk=:MTI3:',
    },
    advice: [
      requests({
        policy: '100-in-15min',
        partition: 'MTI3',
        limit: 100,
        windowMs: 900_000,
        remaining: 99,
        resetAfterMs: 900_000,
      }),
    ],
  },
  {
    title: 'draft 8, two partitions of one policy',
    headers: { ratelimit: '"p";r=1;t=1;pk=:QQ==:, "p";r=2;t=2;pk=:Qg==:', 'ratelimit-policy': '"p";q=9;pk=:Qg==:' },
    advice: [
      requests({ policy: 'p', partition: 'Qg==', limit: 9, remaining: 2, resetAfterMs: 2000 }),
      requests({ policy: 'p', partition: 'QQ==', remaining: 1, resetAfterMs: 1000 }),
    ],
  },
  {
    title: 'draft 8, names as Tokens',
    headers: { 'ratelimit-policy': 'burst;q=10;w=1', ratelimit: 'burst;r=3;t=1' },
    advice: [requests({ policy: 'burst', limit: 10, windowMs: 1000, remaining: 3, resetAfterMs: 1000 })],
  },
  {
    title: 'Cloudflare',
    headers: { 'Ratelimit-Policy': '"default";q=1200;w=300', Ratelimit: '"default";r=1199;t=12' },
    advice: [requests({ policy: 'default', limit: 1200, windowMs: 300_000, remaining: 1199, resetAfterMs: 12_000 })],
  },
  {
    title: 'draft 7',
    headers: { 'ratelimit-policy': '100;w=60, 1000;w=86400', ratelimit: 'limit=100, remaining=50, reset=30' },
    advice: [
      requests({ limit: 100, windowMs: MINUTE, remaining: 50, resetAfterMs: 30_000 }),
      requests({ limit: 1000, windowMs: DAY }),
    ],
  },
  {
    title: 'draft 7 without a policy',
    headers: { ratelimit: 'limit=100, remaining=50, reset=30' },
    advice: [requests({ limit: 100, remaining: 50, resetAfterMs: 30_000 })],
  },
  {
    title: 'draft 6',
    headers: {
      'ratelimit-policy': '100;w=60',
      'ratelimit-limit': '100',
      'ratelimit-remaining': '50',
      'ratelimit-reset': '30',
    },
    advice: [requests({ limit: 100, windowMs: MINUTE, remaining: 50, resetAfterMs: 30_000 })],
  },
  {
    title: 'draft 6 with the comments of the RFC drafts',
    headers: { 'ratelimit-policy': '10;w=1;burst=1000;policy="leaky bucket"', 'ratelimit-limit': '10' },
    advice: [requests({ limit: 10, windowMs: 1000 })],
  },
  {
    title: 'draft 3, with the policies behind the limit',
    headers: { 'ratelimit-limit': '10, 10;w=1, 50;w=60', 'ratelimit-remaining': '3', 'ratelimit-reset': '1' },
    advice: [
      requests({ limit: 10, windowMs: 1000, remaining: 3, resetAfterMs: 1000 }),
      requests({ limit: 50, windowMs: MINUTE }),
    ],
  },
  {
    title: 'Docker Hub',
    headers: { 'ratelimit-limit': '100;w=21600', 'ratelimit-remaining': '76;w=21600' },
    advice: [requests({ limit: 100, windowMs: 21_600_000, remaining: 76 })],
  },
  {
    title: 'Envoy, with names of its policies',
    headers: {
      'x-ratelimit-limit': '10, 10;w=1;name="per-ip", 1000;w=3600',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': '1',
    },
    advice: [
      requests({ policy: 'per-ip', limit: 10, windowMs: 1000, remaining: 9, resetAfterMs: 1000 }),
      requests({ limit: 1000, windowMs: HOUR }),
    ],
  },
  {
    title: 'Sluice: draft 11, and the tightest limit once more',
    headers: {
      'ratelimit-policy': '"burst";q=100;w=60,"daily";q=1000;w=86400',
      ratelimit: '"burst";r=50;t=30,"daily";r=700;t=3600',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '50',
      'x-ratelimit-reset': '30',
    },
    advice: [
      requests({ policy: 'burst', limit: 100, windowMs: MINUTE, remaining: 50, resetAfterMs: 30_000 }),
      requests({ policy: 'daily', limit: 1000, windowMs: DAY, remaining: 700, resetAfterMs: HOUR }),
    ],
  },
  {
    title: 'GitHub, seconds since 1970',
    headers: {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4987',
      'x-ratelimit-reset': '1767227400',
      'x-ratelimit-used': '13',
      'x-ratelimit-resource': 'core',
    },
    advice: [requests({ policy: 'core', limit: 5000, remaining: 4987, resetAfterMs: 1_800_000 })],
  },
  {
    title: 'GitLab',
    headers: {
      'ratelimit-limit': '60',
      'ratelimit-name': 'throttle_authenticated_web',
      'ratelimit-observed': '67',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1767225660',
    },
    advice: [requests({ policy: 'throttle_authenticated_web', limit: 60, remaining: 0, resetAfterMs: MINUTE })],
  },
  {
    title: 'express-rate-limit with its legacy headers',
    headers: { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '99', 'x-ratelimit-reset': '1767226500' },
    advice: [requests({ limit: 100, remaining: 99, resetAfterMs: 900_000 })],
  },
  {
    title: 'OpenRouter, milliseconds since 1970',
    headers: { 'X-RateLimit-Limit': '20', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1767225660000' },
    advice: [requests({ limit: 20, remaining: 0, resetAfterMs: MINUTE })],
  },
  {
    title: 'Reddit, fractions and seconds, and no limit',
    headers: { 'x-ratelimit-used': '2', 'x-ratelimit-remaining': '598.0', 'x-ratelimit-reset': '241' },
    advice: [requests({ remaining: 598, resetAfterMs: 241_000 })],
  },
  {
    title: 'Vimeo, a timestamp',
    headers: {
      'x-ratelimit-limit': '25',
      'x-ratelimit-remaining': '24',
      'x-ratelimit-reset': '2026-01-01T00:01:00+00:00',
    },
    advice: [requests({ limit: 25, remaining: 24, resetAfterMs: MINUTE })],
  },
  {
    title: 'a server that counts what is used',
    headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-used': '15' },
    advice: [requests({ limit: 60, remaining: 45 })],
  },
  {
    title: 'Discord, which has a delay beside the moment',
    headers: {
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1767225601.470',
      'x-ratelimit-reset-after': '1.25',
      'x-ratelimit-bucket': 'abcd1234',
    },
    advice: [requests({ policy: 'abcd1234', limit: 5, remaining: 0, resetAfterMs: 1250 })],
  },
  {
    title: 'Atlassian, a token bucket',
    headers: {
      'x-ratelimit-limit': '70',
      'x-ratelimit-remaining': '69',
      'x-ratelimit-fillrate': '5',
      'x-ratelimit-interval-seconds': '2',
    },
    advice: [requests({ limit: 70, windowMs: 28_000, remaining: 69 })],
  },
  {
    title: 'Spring Cloud Gateway, a token bucket',
    headers: {
      'x-ratelimit-burst-capacity': '40',
      'x-ratelimit-replenish-rate': '20',
      'x-ratelimit-remaining': '39',
      'x-ratelimit-requested-tokens': '1',
    },
    advice: [requests({ limit: 40, windowMs: 2000, remaining: 39 })],
  },
  {
    title: 'X, of an endpoint, an application and a user',
    headers: {
      'x-rate-limit-limit': '900',
      'x-rate-limit-remaining': '899',
      'x-rate-limit-reset': '1767226500',
      'x-app-limit-24hour-limit': '1667',
      'x-app-limit-24hour-remaining': '1660',
      'x-app-limit-24hour-reset': '1767229200',
      'x-user-limit-24hour-limit': '17',
      'x-user-limit-24hour-remaining': '0',
      'x-user-limit-24hour-reset': '1767229200',
    },
    advice: [
      requests({ policy: 'app', limit: 1667, windowMs: DAY, remaining: 1660, resetAfterMs: HOUR }),
      requests({ policy: 'user', limit: 17, windowMs: DAY, remaining: 0, resetAfterMs: HOUR }),
      requests({ limit: 900, remaining: 899, resetAfterMs: 900_000 }),
    ],
  },
  {
    title: 'Zendesk, in both of its spellings',
    headers: {
      'x-rate-limit': '700',
      'x-rate-limit-remaining': '699',
      'ratelimit-limit': '700',
      'ratelimit-remaining': '699',
      'ratelimit-reset': '41',
    },
    advice: [requests({ limit: 700, remaining: 699, resetAfterMs: 41_000 })],
  },
  {
    title: 'Kong, with a limit for each window and the tightest once more',
    headers: {
      'x-ratelimit-limit-second': '5',
      'x-ratelimit-remaining-second': '4',
      'x-ratelimit-limit-minute': '100',
      'x-ratelimit-remaining-minute': '40',
      'x-ratelimit-limit-hour': '1000',
      'x-ratelimit-remaining-hour': '900',
      'ratelimit-limit': '100',
      'ratelimit-remaining': '40',
      'ratelimit-reset': '12',
    },
    advice: [
      requests({ limit: 5, windowMs: 1000, remaining: 4 }),
      requests({ limit: 100, windowMs: MINUTE, remaining: 40, resetAfterMs: 12_000 }),
      requests({ limit: 1000, windowMs: HOUR, remaining: 900 }),
    ],
  },
  {
    title: 'Kong, long windows',
    headers: {
      'x-ratelimit-limit-day': '10',
      'x-ratelimit-remaining-day': '9',
      'x-ratelimit-limit-month': '20',
      'x-ratelimit-limit-year': '30',
    },
    advice: [
      requests({ limit: 10, windowMs: DAY, remaining: 9 }),
      requests({ limit: 20, windowMs: 31 * DAY }),
      requests({ limit: 30, windowMs: 366 * DAY }),
    ],
  },
  {
    title: 'Linear',
    headers: {
      'x-ratelimit-requests-limit': '1500',
      'x-ratelimit-requests-remaining': '1499',
      'x-ratelimit-requests-reset': '1767229200000',
      'x-ratelimit-endpoint-requests-limit': '50',
    },
    advice: [
      requests({ policy: 'endpoint', limit: 50 }),
      requests({ limit: 1500, remaining: 1499, resetAfterMs: HOUR }),
    ],
  },
  {
    title: 'HubSpot',
    headers: {
      'X-HubSpot-RateLimit-Max': '100',
      'X-HubSpot-RateLimit-Remaining': '99',
      'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
      'X-HubSpot-RateLimit-Secondly': '10',
      'X-HubSpot-RateLimit-Secondly-Remaining': '9',
      'X-HubSpot-RateLimit-Daily': '250000',
      'X-HubSpot-RateLimit-Daily-Remaining': '249999',
    },
    advice: [
      requests({ limit: 100, windowMs: 10_000, remaining: 99 }),
      requests({ limit: 10, windowMs: 1000, remaining: 9 }),
      requests({ limit: 250_000, windowMs: DAY, remaining: 249_999 }),
    ],
  },
  {
    title: 'Helicone',
    headers: {
      'Helicone-RateLimit-Limit': '1000',
      'Helicone-RateLimit-Remaining': '999',
      'Helicone-RateLimit-Reset': '30',
    },
    advice: [requests({ limit: 1000, remaining: 999, resetAfterMs: 30_000 })],
  },
  {
    title: 'OpenAI',
    headers: {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    advice: [
      requests({ limit: 60, remaining: 59, resetAfterMs: 1000 }),
      tokens({ limit: 150_000, remaining: 149_984, resetAfterMs: 360_000 }),
    ],
  },
  {
    title: 'OpenAI, with the tokens of a project and long and short resets',
    headers: {
      'x-ratelimit-limit-requests': '200',
      'x-ratelimit-remaining-requests': '197',
      'x-ratelimit-reset-requests': '23h18m29.144s',
      'x-ratelimit-limit-project-tokens': '60000',
      'x-ratelimit-remaining-project-tokens': '57000',
      'x-ratelimit-reset-project-tokens': '12ms',
    },
    advice: [
      tokens({ policy: 'project', limit: 60_000, remaining: 57_000, resetAfterMs: 12 }),
      requests({ limit: 200, remaining: 197, resetAfterMs: 83_909_144 }),
    ],
  },
  {
    title: 'OpenAI of former years',
    headers: {
      'x-ratelimit-limit-tokens': '40000',
      'x-ratelimit-remaining-tokens': '39929',
      'x-ratelimit-limit-tokens_usage_based': '40000',
      'x-ratelimit-remaining-tokens_usage_based': '39929',
      'x-ratelimit-reset-tokens_usage_based': '106ms',
    },
    advice: [tokens({ policy: 'usage-based', limit: 40_000, remaining: 39_929, resetAfterMs: 106 })],
  },
  {
    title: 'Azure, with its windows and whole seconds',
    headers: {
      'x-ratelimit-limit-requests': '1000',
      'x-ratelimit-remaining-requests': '999',
      'x-ratelimit-reset-requests': '3',
      'x-ratelimit-renewalperiod-requests': '60',
      'x-ratelimit-limit-tokens': '1000000',
      'x-ratelimit-remaining-tokens': '999992',
      'x-ratelimit-reset-tokens': '0',
      'x-ratelimit-renewalperiod-tokens': '60',
    },
    advice: [
      requests({ limit: 1000, windowMs: MINUTE, remaining: 999, resetAfterMs: 3000 }),
      tokens({ limit: 1_000_000, windowMs: MINUTE, remaining: 999_992, resetAfterMs: 0 }),
    ],
  },
  {
    // shopify.dev, "REST Admin API rate limits".
    title: 'Shopify',
    headers: { 'X-Shopify-Shop-Api-Call-Limit': '32/40' },
    advice: [requests({ limit: 40, windowMs: 20_000, remaining: 8 })],
  },
  {
    title: 'Shopify, above its bucket',
    headers: { 'X-Shopify-Shop-Api-Call-Limit': '41/40' },
    advice: [requests({ limit: 40, windowMs: 20_000, remaining: 0 })],
  },
  {
    // developer.salesforce.com, REST API Developer Guide, "Limit Info Header".
    title: 'Salesforce',
    headers: { 'Sforce-Limit-Info': 'api-usage=18/5000' },
    advice: [requests({ limit: 5000, windowMs: DAY, remaining: 4982 })],
  },
  {
    title: 'Salesforce, for an app',
    headers: { 'Sforce-Limit-Info': 'per-app-api-usage=17/250(appName=sample), api-usage=25/5000' },
    advice: [requests({ limit: 5000, windowMs: DAY, remaining: 4975 })],
  },
  {
    // learn.microsoft.com, "Understand how Azure Resource Manager throttles requests".
    title: 'Azure Resource Manager, of a subscription',
    headers: {
      'x-ms-ratelimit-remaining-subscription-reads': '249',
      'x-ms-ratelimit-remaining-subscription-writes': '0',
    },
    advice: [
      requests({ policy: 'subscription-reads', remaining: 249 }),
      requests({ policy: 'subscription-writes', remaining: 0 }),
    ],
  },
  {
    title: 'Azure Resource Manager, of a tenant',
    headers: { 'x-ms-ratelimit-remaining-tenant-reads': '11999', 'x-ms-ratelimit-remaining-tenant-writes': '1199' },
    advice: [
      requests({ policy: 'tenant-reads', remaining: 11_999 }),
      requests({ policy: 'tenant-writes', remaining: 1199 }),
    ],
  },
  {
    // learn.microsoft.com, "Service protection API limits" of Dataverse.
    title: 'Dataverse, whose second field counts seconds of work',
    headers: {
      'x-ms-ratelimit-time-remaining-xrm-requests': '1,200.00',
      'x-ms-ratelimit-burst-remaining-xrm-requests': '5999',
    },
    advice: [requests({ remaining: 5999 })],
  },
  {
    // learn.microsoft.com, "Avoid getting throttled or blocked in SharePoint Online".
    title: 'SharePoint',
    headers: { 'RateLimit-Limit': '1200', 'RateLimit-Remaining': '120', 'RateLimit-Reset': '5' },
    advice: [requests({ limit: 1200, remaining: 120, resetAfterMs: 5000 })],
  },
  {
    // learn.microsoft.com, "Microsoft Graph service-specific throttling limits": a share of a limit that it does not name.
    title: 'Microsoft Graph, which states no units',
    headers: { 'x-ms-throttle-limit-percentage': '0.9', 'x-ms-resource-unit': '2', 'x-ms-throttle-scope': 'Tenant' },
    advice: [],
  },
  {
    title: 'used units that are malformed',
    headers: { 'X-Shopify-Shop-Api-Call-Limit': '-3/40', 'Sforce-Limit-Info': 'api-usage=many' },
    advice: [],
  },
  {
    title: 'a limit of nothing',
    headers: { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' },
    advice: [requests({ limit: 0, remaining: 0, resetAfterMs: 30_000 })],
  },
  {
    title: 'a policy of nothing',
    headers: { 'ratelimit-policy': '"a";q=0;w=60', ratelimit: '"a";r=0;t=20' },
    advice: [requests({ policy: 'a', limit: 0, windowMs: MINUTE, remaining: 0, resetAfterMs: 20_000 })],
  },
  {
    title: 'Azure, which does not know',
    headers: {
      'x-ratelimit-limit-requests': '-1',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-limit-tokens': '0',
      'x-ratelimit-remaining-tokens': '-1',
      'x-ratelimit-reset-tokens': '0',
    },
    advice: [],
  },
  {
    title: 'Groq, requests a day and tokens a minute',
    headers: {
      'x-groq-region': 'us-west-1',
      'x-ratelimit-limit-requests': '14400',
      'x-ratelimit-remaining-requests': '14370',
      'x-ratelimit-reset-requests': '2m59.56s',
      'x-ratelimit-limit-tokens': '18000',
      'x-ratelimit-remaining-tokens': '17997',
      'x-ratelimit-reset-tokens': '7.66s',
    },
    advice: [
      requests({ limit: 14_400, windowMs: DAY, remaining: 14_370, resetAfterMs: 179_560 }),
      tokens({ limit: 18_000, windowMs: MINUTE, remaining: 17_997, resetAfterMs: 7660 }),
    ],
  },
  {
    title: 'Anthropic',
    headers: {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:02Z',
      'anthropic-ratelimit-tokens-limit': '48000',
      'anthropic-ratelimit-tokens-remaining': '48000',
      'anthropic-ratelimit-tokens-reset': '2025-12-31T23:59:59Z',
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30.250Z',
      'anthropic-ratelimit-output-tokens-limit': '8000',
      'anthropic-ratelimit-output-tokens-remaining': '8000',
      'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:00:00Z',
    },
    advice: [
      requests({ limit: 50, windowMs: MINUTE, remaining: 49, resetAfterMs: 2000 }),
      tokens({ limit: 48_000, windowMs: MINUTE, remaining: 48_000, resetAfterMs: 0 }),
      { unit: 'input-tokens', limit: 40_000, windowMs: MINUTE, remaining: 0, resetAfterMs: 30_250 },
      { unit: 'output-tokens', limit: 8000, windowMs: MINUTE, remaining: 8000, resetAfterMs: 0 },
    ],
  },
  {
    title: 'Anthropic, seen by a client whose clock is five minutes fast',
    headers: {
      date: 'Wed, 31 Dec 2025 23:55:00 GMT',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2025-12-31T23:55:20Z',
    },
    advice: [requests({ limit: 50, windowMs: MINUTE, remaining: 0, resetAfterMs: 20_000 })],
  },
  {
    title: 'Anthropic, priority tier',
    headers: {
      'anthropic-priority-input-tokens-limit': '10000',
      'anthropic-priority-input-tokens-remaining': '9618',
      'anthropic-priority-input-tokens-reset': '2026-01-01T00:00:01Z',
      'anthropic-priority-output-tokens-limit': '10000',
      'anthropic-priority-output-tokens-remaining': '6000',
    },
    advice: [
      {
        policy: 'priority',
        unit: 'input-tokens',
        limit: 10_000,
        windowMs: MINUTE,
        remaining: 9618,
        resetAfterMs: 1000,
      },
      { policy: 'priority', unit: 'output-tokens', limit: 10_000, windowMs: MINUTE, remaining: 6000 },
    ],
  },
  {
    title: 'Cerebras',
    headers: {
      'x-ratelimit-limit-requests-minute': '30',
      'x-ratelimit-limit-requests-hour': '900',
      'x-ratelimit-limit-requests-day': '14400',
      'x-ratelimit-remaining-requests-day': '14399',
      'x-ratelimit-reset-requests-day': '33011.382867',
      'x-ratelimit-limit-tokens-minute': '60000',
      'x-ratelimit-remaining-tokens-minute': '50',
      'x-ratelimit-reset-tokens-minute': '26.5',
      'x-ratelimit-limit-tokens-hour': '1000000',
      'x-ratelimit-limit-tokens-day': '1000000',
    },
    advice: [
      requests({ limit: 30, windowMs: MINUTE }),
      requests({ limit: 900, windowMs: HOUR }),
      requests({ limit: 14_400, windowMs: DAY, remaining: 14_399, resetAfterMs: 33_011_383 }),
      tokens({ limit: 60_000, windowMs: MINUTE, remaining: 50, resetAfterMs: 26_500 }),
      tokens({ limit: 1_000_000, windowMs: HOUR }),
      tokens({ limit: 1_000_000, windowMs: DAY }),
    ],
  },
  {
    title: 'Mistral',
    headers: {
      'x-ratelimit-limit-req-minute': '60',
      'x-ratelimit-remaining-req-minute': '59',
      'x-ratelimitbysize-limit-minute': '500000',
      'x-ratelimitbysize-remaining-minute': '499000',
      'ratelimitbysize-reset': '42',
      'x-ratelimitbysize-limit-month': '1000000000',
      'x-ratelimitbysize-remaining-month': '999000000',
    },
    advice: [
      requests({ limit: 60, windowMs: MINUTE, remaining: 59 }),
      tokens({ limit: 500_000, windowMs: MINUTE, remaining: 499_000, resetAfterMs: 42_000 }),
      tokens({ limit: 1_000_000_000, windowMs: 31 * DAY, remaining: 999_000_000 }),
    ],
  },
  {
    title: 'Fireworks',
    headers: {
      'x-ratelimit-limit-tokens-prompt': '21600000',
      'x-ratelimit-remaining-tokens-prompt': '21599990',
      'x-ratelimit-limit-tokens-generated': '216000',
    },
    advice: [
      { unit: 'input-tokens', limit: 21_600_000, remaining: 21_599_990 },
      { unit: 'output-tokens', limit: 216_000 },
    ],
  },
  {
    title: 'Together, requests and tokens',
    headers: {
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': '0.0001',
      'x-tokenlimit-limit': '2000',
      'x-tokenlimit-remaining': '1990',
    },
    advice: [requests({ limit: 10, remaining: 9, resetAfterMs: 1 }), tokens({ limit: 2000, remaining: 1990 })],
  },

  // What makes no sense.
  { title: 'no fields', headers: { 'content-type': 'text/plain' }, advice: [] },
  {
    title: 'an answer from a cache',
    headers: { age: '3', 'ratelimit-policy': '"burst";q=100;w=60', ratelimit: '"burst";r=50;t=30' },
    advice: [],
  },
  {
    title: 'an answer that a cache has just fetched',
    headers: { age: '0', ratelimit: '"burst";r=50;t=30' },
    advice: [requests({ policy: 'burst', remaining: 50, resetAfterMs: 30_000 })],
  },
  {
    title: 'negative numbers in draft 11',
    headers: { 'ratelimit-policy': '"burst";q=-1;w=-60', ratelimit: '"burst";r=-2;t=5' },
    advice: [requests({ policy: 'burst', resetAfterMs: 5000 })],
  },
  {
    title: 'numbers as text in draft 11',
    headers: { 'ratelimit-policy': '"burst";q="100";w=60', ratelimit: '"burst";r=?1;t=5' },
    advice: [requests({ policy: 'burst', windowMs: MINUTE, resetAfterMs: 5000 })],
  },
  {
    title: 'a malformed List beside a good one',
    headers: { 'ratelimit-policy': '"burst";q=100;w=60', ratelimit: '"burst;r=50;t=30' },
    advice: [requests({ policy: 'burst', limit: 100, windowMs: MINUTE })],
  },
  { title: 'Inner Lists', headers: { ratelimit: '("burst" "daily");r=50;t=30' }, advice: [] },
  {
    title: 'text and exponents for numbers',
    headers: { 'x-ratelimit-limit': '1e9', 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' },
    advice: [],
  },
  {
    title: 'a negative remainder',
    headers: { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '-3', 'x-ratelimit-reset': '-1' },
    advice: [requests({ limit: 100 })],
  },
  {
    title: 'a number with a comma',
    headers: { 'x-ratelimit-limit': '100,000', 'x-ratelimit-remaining': '99,999', 'x-ratelimit-reset': '60' },
    advice: [requests({ resetAfterMs: MINUTE })],
  },
  {
    title: 'numbers that are too large to be exact',
    headers: { 'x-ratelimit-limit': '99999999999999999999', 'x-ratelimit-remaining': '5' },
    advice: [requests({ remaining: 5 })],
  },
  {
    title: 'a moment in the year 1, and one in a thousand years',
    headers: {
      'x-ratelimit-remaining': '5',
      'x-ratelimit-reset': '0001-01-01T00:00:00Z',
      'x-rate-limit-remaining': '6',
      'x-rate-limit-reset': '3026-01-01T00:00:00Z',
    },
    advice: [requests({ remaining: 5 }), requests({ remaining: 6 })],
  },
  {
    title: 'a moment without a zone',
    headers: { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '2026-01-01T00:01:00' },
    advice: [requests({ remaining: 5 })],
  },
  {
    title: 'a `Date` in another year, which is no clock that runs wrong',
    headers: { date: 'Thu, 01 Jan 2015 00:00:00 GMT', 'x-ratelimit-reset': '1767225660' },
    advice: [requests({ resetAfterMs: MINUTE })],
  },
];
