/** Names that users of other libraries reach for, and what they are here. */
const NAMED_HERE = new Map(
  Object.entries({
    windowMs: 'window',
    timeWindow: 'window',
    interval: 'window',
    duration: 'window',
    ttl: 'window',
    max: 'limit',
    points: 'limit',
    requests: 'limit',
    tokens: 'capacity',
    bucketSize: 'capacity',
    burst: 'capacity',
    refill: 'refillRate',
    rate: 'refillRate',
    fillRate: 'refillRate',
    leak: 'leakRate',
    refillRate: 'leakRate',
    leakRate: 'refillRate',
    key: 'keyGenerator',
    getTracker: 'keyGenerator',
    weight: 'cost',
    skipIf: 'skip',
    handler: 'onLimitReached',
    onExceeded: 'onLimitReached',
    headers: 'standardHeaders',
    blockMs: 'blockDuration',
    leaseMs: 'lease',
    allowlist: 'allowList',
    whitelist: 'allowList',
    denylist: 'denyList',
    blacklist: 'denyList',
    throttlers: 'policies',
    shadow: 'enforce',
    dryRun: 'enforce',
  }),
);

/** Options of a Limit, and how a policy gets a Limit that has them. */
const OF_A_LIMIT = new Map(
  Object.entries({
    blockDuration: 'slidingWindow({ limit, window, blockDuration })',
    countRejected: 'slidingWindow({ limit, window, countRejected })',
    buckets: 'slidingWindow({ limit, window, buckets })',
    align: 'fixedWindow({ limit, window, align })',
    capacity: 'tokenBucket({ capacity, refillRate })',
    refillRate: 'tokenBucket({ capacity, refillRate })',
    refillInterval: 'tokenBucket({ capacity, refillRate, refillInterval })',
    keepFor: 'tokenBucket({ capacity, refillRate: 0, keepFor })',
    leakRate: 'leakyBucket({ capacity, leakRate })',
    lease: 'concurrency({ limit, lease })',
  }),
);

/** What to write in place of an option that there is not among the known ones. */
export function cureOf(option: string, known: readonly string[]): string {
  const name = NAMED_HERE.get(option) ?? option;
  if (known.includes(name)) return `use ${name}`;
  if (known.includes('keyGenerator')) {
    if (option === 'algorithm')
      return 'choose limit: slidingWindow({ ... }), fixedWindow({ ... }), tokenBucket({ ... })';
    const limit = OF_A_LIMIT.get(option) ?? OF_A_LIMIT.get(name);
    if (limit) return `it belongs to a Limit, limit: ${limit}`;
  }
  return `the options here are ${known.join(', ')}`;
}

/** How to say it right, where what was given in place of options is a live object: a request, or a client. */
export function cureOfLive(given: object, known: readonly string[]): string | undefined {
  const { on, call } = given as { on?: unknown; call?: unknown };
  if (typeof on !== 'function' && typeof call !== 'function') return undefined;
  if (known.includes('client')) return 'not a client: pass { client }';
  const isRequest = known.includes('standardHeaders') && 'headers' in given;
  return isRequest ? 'not a request: call it, app.use(rateLimit({ ... }))' : undefined;
}
