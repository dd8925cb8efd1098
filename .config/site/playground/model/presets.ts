import {
  type ClientState,
  COLUMNS,
  DEFAULT_CLIENT,
  DEFAULT_LIMIT,
  defaultState,
  type LimitState,
  type State,
} from './state.js';

/** A limiter that people come from, with numbers as they have them there. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  /** Its page below `packages/core/docs`. */
  readonly page: string;
  /** What stands in their configuration. */
  readonly configuration: string;
  /** What that limiter does with it, as it is documented and as the page says. */
  readonly there: string;
  /** What Sluice does in its place. */
  readonly here: string;
  /** Limits that decide as that limiter does. */
  readonly theirs: readonly LimitState[];
  /** The limits that the page recommends. */
  readonly ours: readonly LimitState[];
  readonly clients: readonly ClientState[];
  readonly span: State['span'];
  readonly maxWait: string;
}

const limit = (differing: Partial<LimitState>): LimitState => ({ ...DEFAULT_LIMIT, ...differing });
const client = (differing: Partial<ClientState>): ClientState => ({ ...DEFAULT_CLIENT, ...differing });

/** A client that knows when a window ends. */
const atTheEdge = (size: number): ClientState => client({ name: 'at the edge', pattern: 'edge', size });

const counted = (quota: number, window: string): LimitState => limit({ algorithm: 'fixed-window', quota, window });
const byTheClock = (quota: number, window: string): LimitState => ({ ...counted(quota, window), align: 'clock' });
const sliding = (quota: number, window: string): LimitState => limit({ quota, window });
const log = (quota: number, window: string, differing: Partial<LimitState> = {}): LimitState =>
  limit({ algorithm: 'sliding-window-log', quota, window, ...differing });
const bucket = (quota: number, rate: number, differing: Partial<LimitState> = {}): LimitState =>
  limit({ algorithm: 'token-bucket', quota, rate, ...differing });
const queue = (quota: number, rate: number, immediate = 0): LimitState =>
  limit({ algorithm: 'leaky-bucket', quota, rate, immediate });

/** So many requests in each of some columns, and then fewer in later ones. */
const columns = (...runs: readonly (readonly [columns: number, requests: number])[]): number[] =>
  runs.flatMap(([length, requests]) => new Array<number>(length).fill(requests)).slice(0, COLUMNS);

const SLOW = { slowAfter: 5, slowBy: '200ms' };

/** In the order of the page. */
export const PRESETS: readonly Preset[] = [
  {
    id: 'express-rate-limit',
    name: 'express-rate-limit',
    page: 'coming-from/express-rate-limit.md',
    configuration: 'rateLimit({ windowMs: 60_000, limit: 100 })',
    there:
      'A window begins with the first request of a client, and its count starts again at the end. Around the end, almost twice the limit can pass within a minute.',
    here: 'The limit holds in every minute, wherever it begins.',
    theirs: [counted(100, '1m')],
    ours: [sliding(100, '1m')],
    clients: [atTheEdge(100)],
    span: 300,
    maxWait: '',
  },
  {
    id: 'express-slow-down',
    name: 'express-slow-down',
    page: 'coming-from/express-slow-down.md',
    configuration: 'slowDown({ windowMs: 60_000, delayAfter: 5, delayMs: (used) => (used - 5) * 200 })',
    there: 'Nothing is refused. Each request waits longer than the one before, without a largest delay.',
    here: 'One limiter delays and refuses: the delay has a largest length, and the limit ends it.',
    theirs: [limit({ algorithm: 'fixed-window', quota: 10_000, window: '1m', ...SLOW, slowUpTo: '1h' })],
    ours: [limit({ quota: 12, window: '1m', ...SLOW, slowUpTo: '1s' })],
    clients: [client({ name: 'a script', rate: 0.5 })],
    span: 60,
    maxWait: '',
  },
  {
    id: 'nestjs-throttler',
    name: '@nestjs/throttler',
    page: 'coming-from/nestjs-throttler.md',
    configuration: 'ThrottlerModule.forRoot([{ ttl: 60_000, limit: 10 }])',
    there:
      'The time of each hit is kept. After a refusal, the client is refused for a whole ttl, even if there is room a moment later.',
    here: 'A client is refused until its request fits, unless you set blockDuration.',
    theirs: [log(10, '1m', { block: '1m' })],
    ours: [sliding(10, '1m')],
    clients: [client({ name: 'a bit too fast', rate: 0.2 })],
    span: 300,
    maxWait: '',
  },
  {
    id: 'fastify-rate-limit',
    name: '@fastify/rate-limit',
    page: 'coming-from/fastify-rate-limit.md',
    configuration: "app.register(rateLimit, { max: 100, timeWindow: '1 minute' })",
    there: 'A window begins with the first request of a client. Around its end, almost twice the limit can pass.',
    here: 'The limit holds in every minute, wherever it begins.',
    theirs: [counted(100, '1m')],
    ours: [sliding(100, '1m')],
    clients: [atTheEdge(100), client({ name: 'steady', rate: 1.2 })],
    span: 300,
    maxWait: '',
  },
  {
    id: 'rate-limiter-flexible',
    name: 'rate-limiter-flexible',
    page: 'coming-from/rate-limiter-flexible.md',
    configuration: 'new RateLimiterMemory({ points: 5, duration: 3600 })',
    there: 'All points are back one hour after the first of them was used.',
    here: 'A unit comes back one hour after it was spent, so no hour has more than five.',
    theirs: [counted(5, '1h')],
    ours: [sliding(5, '1h')],
    clients: [atTheEdge(5)],
    span: 86_400,
    maxWait: '',
  },
  {
    id: 'rolling-rate-limiter',
    name: 'rolling-rate-limiter',
    page: 'coming-from/rolling-rate-limiter.md',
    configuration: '{ interval: 60_000, maxInInterval: 10, minDifference: 3000 }',
    there: 'Refused actions count, too. A client that never stops is never admitted again.',
    here: "With countRejected: true, such a client is admitted within two windows. 'always' does as there.",
    theirs: [log(10, '1m', { countRejected: 'always' }), log(1, '3s', { countRejected: 'always' })],
    ours: [log(10, '1m', { countRejected: 'yes' }), log(1, '3s', { countRejected: 'yes' })],
    clients: [client({ name: 'does not stop', rate: 0.25 })],
    span: 300,
    maxWait: '',
  },
  {
    id: 'bucket4j',
    name: 'Bucket4j',
    page: 'coming-from/bucket4j.md',
    configuration: 'capacity(20).refillGreedy(20, ofMinutes(1)), capacity(5).refillGreedy(5, ofSeconds(1))',
    there: 'Both buckets have to have the tokens. They refill one by one.',
    here: 'The same numbers, and the same decisions, in one step.',
    theirs: [bucket(20, 20 / 60), bucket(5, 5)],
    ours: [bucket(20, 20 / 60), bucket(5, 5)],
    clients: [client({ name: 'bursts', pattern: 'bursts', size: 12, every: 12 })],
    span: 60,
    maxWait: '',
  },
  {
    id: 'nginx-nodelay',
    name: 'nginx: rate=10r/s burst=20 nodelay',
    page: 'coming-from/nginx.md',
    configuration: 'limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;\nlimit_req zone=api burst=20 nodelay;',
    there: '21 requests pass at once: the burst, and the one that fits. Then ten a second.',
    here: 'A token bucket with the same numbers.',
    theirs: [bucket(21, 10)],
    ours: [bucket(21, 10)],
    clients: [client({ name: 'bursts', pattern: 'bursts', size: 40, every: 10 }), client({ name: 'steady', rate: 8 })],
    span: 60,
    maxWait: '',
  },
  {
    id: 'nginx-delay',
    name: 'nginx: burst=20 delay=8',
    page: 'coming-from/nginx.md',
    configuration: 'limit_req zone=api burst=20 delay=8; # rate=10r/s',
    there: 'The first requests above the rate pass at once, the next ones wait, and the last ones are refused.',
    here: 'A leaky bucket with 8 places that do not wait.',
    theirs: [queue(21, 10, 8)],
    ours: [queue(21, 10, 8)],
    clients: [client({ name: 'bursts', pattern: 'bursts', size: 30, every: 8 })],
    span: 60,
    maxWait: '',
  },
  {
    id: 'nginx-per-minute',
    name: 'nginx: rate=100r/m',
    page: 'coming-from/nginx.md',
    configuration: 'limit_req_zone $binary_remote_addr zone=api:10m rate=100r/m;\nlimit_req zone=api;',
    there: 'One request passes every 600 ms. Two requests at the same time are one too many.',
    here: '100 requests in any minute, also at once.',
    theirs: [bucket(1, 100 / 60)],
    ours: [sliding(100, '1m')],
    clients: [client({ name: 'a page with 8 files', pattern: 'bursts', size: 8, every: 10 })],
    span: 60,
    maxWait: '',
  },
  {
    id: 'kong',
    name: 'Kong: minute 100, hour 1000',
    page: 'coming-from/kong.md',
    configuration: 'plugins:\n  - name: rate-limiting\n    config: { minute: 100, hour: 1000, policy: local }',
    there: 'Windows follow the clock. Around the turn of a minute, twice the limit can pass.',
    here: 'Sliding windows hold both numbers in every minute and in every hour, in one step.',
    theirs: [byTheClock(100, '1m'), byTheClock(1000, '1h')],
    ours: [sliding(100, '1m'), sliding(1000, '1h')],
    clients: [atTheEdge(100), client({ name: 'steady', rate: 2 })],
    span: 300,
    maxWait: '',
  },
  {
    id: 'envoy',
    name: 'Envoy: 10 tokens each second',
    page: 'coming-from/envoy.md',
    configuration: 'token_bucket: { max_tokens: 100, tokens_per_fill: 10, fill_interval: 1s }',
    there: 'One bucket for all clients of an instance. Current versions refill it continuously.',
    here: 'A token bucket with the same numbers, and one key for everyone.',
    theirs: [bucket(100, 10, { per: 'everyone' })],
    ours: [bucket(100, 10, { per: 'everyone' })],
    clients: [client({ name: 'steady', rate: 8 }), client({ name: 'crawler', pattern: 'crawler', rate: 8 })],
    span: 60,
    maxWait: '',
  },
  {
    id: 'bottleneck',
    name: 'bottleneck',
    page: 'coming-from/bottleneck.md',
    configuration: 'new Bottleneck({ maxConcurrent: 2, minTime: 100 })',
    there: 'Jobs wait in a queue: at most two run at once, and 100 ms lie between their starts.',
    here: 'Both limits are one policy. Requests wait up to maxWait.',
    theirs: [limit({ algorithm: 'concurrency', quota: 2, per: 'everyone' }), bucket(1, 10, { per: 'everyone' })],
    ours: [limit({ algorithm: 'concurrency', quota: 2, per: 'everyone' }), bucket(1, 10, { per: 'everyone' })],
    clients: [client({ name: 'jobs', pattern: 'bursts', size: 12, every: 12, runs: 700 })],
    span: 60,
    maxWait: '20s',
  },
  {
    id: 'fail2ban',
    name: 'fail2ban',
    page: 'coming-from/fail2ban.md',
    configuration: 'maxretry = 5\nfindtime = 10m\nbantime = 10m\nbantime.increment = true',
    there: 'Five failed attempts within ten minutes start a ban, and each ban is twice as long as the one before.',
    here: 'A block that grows does the same, up to the largest length that you choose.',
    theirs: [log(5, '10m', { block: '10m', longestBlock: '1d' })],
    ours: [sliding(5, '10m')].map((own) => ({ ...own, block: '10m', longestBlock: '1d' })),
    clients: [client({ name: 'guesses', pattern: 'drawn', drawn: columns([COLUMNS, 3]) })],
    span: 3600,
    maxWait: '',
  },
];

/** What a visitor sees who chooses a preset: the traffic with the limits of one side. */
export function stateOfPreset(preset: Preset, side: 'theirs' | 'ours'): State {
  const { clients, span, maxWait } = preset;
  return {
    ...defaultState(),
    limits: preset[side].map((own) => ({ ...own })),
    clients: clients.map((one) => ({ ...one })),
    span,
    maxWait,
  };
}
