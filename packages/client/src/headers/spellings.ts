import type { Advice } from './advice.js';

/** A length of time in a field, as a number of units of so many milliseconds. */
export interface SpelledTime {
  readonly field: string;
  readonly unitMs: number;
}

/** How a server spells one of its limits in header fields. All names are in lower case. */
export interface Spelling {
  /** The servers that write so. */
  readonly by: string;
  /** The names of the fields, where `*` stands for `limit`, `remaining` and `reset`. */
  readonly names: string;
  /** Names that do not follow the pattern. */
  readonly limit?: string;
  readonly remaining?: string;
  readonly reset?: string;
  /** What the numbers count. Default: requests. */
  readonly unit?: Advice['unit'];
  /** The field with the used units, for servers that do not state the remaining ones. */
  readonly used?: string;
  /** The length of the window: always the same, or in a field. Absent: the server does not state it. */
  readonly window?: number | SpelledTime;
  /** The units that a token bucket gains in each period. The window is the time that it takes to fill. */
  readonly refill?: { readonly field: string; readonly period: number | SpelledTime };
  /** The name of the policy: always the same, or in a field. */
  readonly policy?: string | { readonly field: string };
  /** Whether a limit of 0 means that the server does not know it. */
  readonly isZeroUnknown?: true;
  /** The field by which the server is known, where others use the same names in another sense. */
  readonly marker?: string;
}

/** How a server spells used units and a limit in one field: `32/40`. The name of the field is in lower case. */
export interface SpelledUsage {
  /** The server that writes so. */
  readonly by: string;
  readonly field: string;
  /** What stands before the numbers, where the field has several members. */
  readonly member?: string;
  readonly window: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest of each: to wait a little longer is never refused. */
const MONTH = 31 * DAY;
const YEAR = 366 * DAY;

const ATLASSIAN = { field: 'x-ratelimit-interval-seconds', unitMs: SECOND };
const HUBSPOT = { field: 'x-hubspot-ratelimit-interval-milliseconds', unitMs: 1 };

/**
 * The known spellings beside the structured fields of the RateLimit drafts. A new server is a new row.
 *
 * If two rows have a field in common, the first row that finds its marker has it: rows with a marker stand above rows
 * without one.
 */
// biome-ignore format: a table
export const SPELLINGS: readonly Spelling[] = [
  // The same names in a sense of their own.
  { by: 'GitHub', names: 'x-ratelimit-*', used: 'x-ratelimit-used', policy: { field: 'x-ratelimit-resource' }, marker: 'x-ratelimit-resource' },
  { by: 'Discord', names: 'x-ratelimit-*', reset: 'x-ratelimit-reset-after', policy: { field: 'x-ratelimit-bucket' }, marker: 'x-ratelimit-bucket' },
  { by: 'Atlassian Data Center', names: 'x-ratelimit-*', refill: { field: 'x-ratelimit-fillrate', period: ATLASSIAN }, marker: 'x-ratelimit-fillrate' },
  { by: 'Spring Cloud Gateway', names: 'x-ratelimit-*', limit: 'x-ratelimit-burst-capacity', refill: { field: 'x-ratelimit-replenish-rate', period: SECOND }, marker: 'x-ratelimit-replenish-rate' },
  { by: 'GitLab', names: 'ratelimit-*', policy: { field: 'ratelimit-name' }, marker: 'ratelimit-name' },
  { by: 'Azure OpenAI, GitHub Models', names: 'x-ratelimit-*-requests', window: { field: 'x-ratelimit-renewalperiod-requests', unitMs: SECOND }, marker: 'x-ratelimit-renewalperiod-requests', isZeroUnknown: true },
  { by: 'Azure OpenAI, GitHub Models', names: 'x-ratelimit-*-tokens', unit: 'tokens', window: { field: 'x-ratelimit-renewalperiod-tokens', unitMs: SECOND }, marker: 'x-ratelimit-renewalperiod-tokens', isZeroUnknown: true },
  { by: 'Groq', names: 'x-ratelimit-*-requests', window: DAY, marker: 'x-groq-region' },
  { by: 'Groq', names: 'x-ratelimit-*-tokens', unit: 'tokens', window: MINUTE, marker: 'x-groq-region' },
  { by: 'Zendesk', names: 'x-rate-limit-*', limit: 'x-rate-limit', marker: 'x-rate-limit' },

  // Everybody else.
  { by: 'RateLimit drafts 0 to 6, Docker Hub, Twitch, SharePoint', names: 'ratelimit-*' },
  { by: 'express-rate-limit, Envoy, Reddit, Vimeo, OpenRouter, Sluice', names: 'x-ratelimit-*', used: 'x-ratelimit-used' },
  { by: 'X, Okta', names: 'x-rate-limit-*' },
  { by: 'X, for an application', names: 'x-app-limit-24hour-*', window: DAY, policy: 'app' },
  { by: 'X, for a user', names: 'x-user-limit-24hour-*', window: DAY, policy: 'user' },
  { by: 'Kong', names: 'x-ratelimit-*-second', window: SECOND },
  { by: 'Kong', names: 'x-ratelimit-*-minute', window: MINUTE },
  { by: 'Kong', names: 'x-ratelimit-*-hour', window: HOUR },
  { by: 'Kong', names: 'x-ratelimit-*-day', window: DAY },
  { by: 'Kong', names: 'x-ratelimit-*-month', window: MONTH },
  { by: 'Kong', names: 'x-ratelimit-*-year', window: YEAR },
  { by: 'Linear, RapidAPI', names: 'x-ratelimit-requests-*' },
  { by: 'Linear', names: 'x-ratelimit-endpoint-requests-*', policy: 'endpoint' },
  { by: 'HubSpot', names: 'x-hubspot-ratelimit-*', limit: 'x-hubspot-ratelimit-max', window: HUBSPOT },
  { by: 'HubSpot', names: 'x-hubspot-ratelimit-secondly-*', limit: 'x-hubspot-ratelimit-secondly', window: SECOND },
  { by: 'HubSpot', names: 'x-hubspot-ratelimit-daily-*', limit: 'x-hubspot-ratelimit-daily', window: DAY },
  // What is left alone: its buckets are not the same for all.
  { by: 'Azure Resource Manager', names: 'x-ms-ratelimit-*-subscription-reads', policy: 'subscription-reads', marker: 'x-ms-ratelimit-remaining-subscription-reads' },
  { by: 'Azure Resource Manager', names: 'x-ms-ratelimit-*-subscription-writes', policy: 'subscription-writes', marker: 'x-ms-ratelimit-remaining-subscription-writes' },
  { by: 'Azure Resource Manager', names: 'x-ms-ratelimit-*-tenant-reads', policy: 'tenant-reads', marker: 'x-ms-ratelimit-remaining-tenant-reads' },
  { by: 'Azure Resource Manager', names: 'x-ms-ratelimit-*-tenant-writes', policy: 'tenant-writes', marker: 'x-ms-ratelimit-remaining-tenant-writes' },
  // What is left to this connection of 6,000 in five minutes. The other field of Dataverse, `x-ms-ratelimit-time-remaining-xrm-requests`, counts seconds of work.
  { by: 'Dataverse', names: 'x-ms-ratelimit-burst-*-xrm-requests', marker: 'x-ms-ratelimit-burst-remaining-xrm-requests' },
  { by: 'Helicone', names: 'helicone-ratelimit-*' },

  // Models that are paid by the token.
  { by: 'OpenAI, Azure OpenAI', names: 'x-ratelimit-*-requests', isZeroUnknown: true },
  { by: 'OpenAI, Azure OpenAI', names: 'x-ratelimit-*-tokens', unit: 'tokens', isZeroUnknown: true },
  { by: 'OpenAI', names: 'x-ratelimit-*-project-tokens', unit: 'tokens', policy: 'project' },
  { by: 'OpenAI, until 2025', names: 'x-ratelimit-*-tokens_usage_based', unit: 'tokens', policy: 'usage-based' },
  { by: 'Anthropic', names: 'anthropic-ratelimit-requests-*', window: MINUTE },
  { by: 'Anthropic', names: 'anthropic-ratelimit-tokens-*', unit: 'tokens', window: MINUTE },
  { by: 'Anthropic', names: 'anthropic-ratelimit-input-tokens-*', unit: 'input-tokens', window: MINUTE },
  { by: 'Anthropic', names: 'anthropic-ratelimit-output-tokens-*', unit: 'output-tokens', window: MINUTE },
  { by: 'Anthropic, priority tier', names: 'anthropic-priority-input-tokens-*', unit: 'input-tokens', window: MINUTE, policy: 'priority' },
  { by: 'Anthropic, priority tier', names: 'anthropic-priority-output-tokens-*', unit: 'output-tokens', window: MINUTE, policy: 'priority' },
  { by: 'Cerebras', names: 'x-ratelimit-*-requests-minute', window: MINUTE },
  { by: 'Cerebras', names: 'x-ratelimit-*-requests-hour', window: HOUR },
  { by: 'Cerebras', names: 'x-ratelimit-*-requests-day', window: DAY },
  { by: 'Cerebras, Mistral', names: 'x-ratelimit-*-tokens-minute', unit: 'tokens', window: MINUTE },
  { by: 'Cerebras', names: 'x-ratelimit-*-tokens-hour', unit: 'tokens', window: HOUR },
  { by: 'Cerebras', names: 'x-ratelimit-*-tokens-day', unit: 'tokens', window: DAY },
  { by: 'Mistral', names: 'x-ratelimit-*-req-minute', window: MINUTE },
  { by: 'Mistral', names: 'x-ratelimitbysize-*-minute', unit: 'tokens', reset: 'ratelimitbysize-reset', window: MINUTE },
  { by: 'Mistral', names: 'x-ratelimitbysize-*-month', unit: 'tokens', window: MONTH },
  { by: 'Fireworks', names: 'x-ratelimit-*-tokens-prompt', unit: 'input-tokens' },
  { by: 'Fireworks', names: 'x-ratelimit-*-tokens-generated', unit: 'output-tokens' },
  { by: 'Together', names: 'x-tokenlimit-*', unit: 'tokens' },
];

/** The known fields with used units and a limit. */
// biome-ignore format: a table
export const USAGES: readonly SpelledUsage[] = [
  // A bucket of 40 from which 2 leak in a second, and more of both on larger plans: it is empty after 20 s on each.
  { by: 'Shopify', field: 'x-shopify-shop-api-call-limit', window: 20 * SECOND },
  // `api-usage=18/5000`, of a day. What an app has used stands behind it, in a member of its own.
  { by: 'Salesforce', field: 'sforce-limit-info', member: 'api-usage=', window: DAY },
];
