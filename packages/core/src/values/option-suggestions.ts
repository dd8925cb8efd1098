/** What users of other libraries and of limiters of their own reach for, and its name here: the first one that is an option. */
const NAMED_HERE = new Map<string, readonly string[]>(
  Object.entries({
    // How much, and in how long.
    windowMs: ['window'],
    windowSizeMs: ['window'],
    windowSize: ['window'],
    timeWindow: ['window'],
    interval: ['window'],
    duration: ['window'],
    ttl: ['window'],
    max: ['limit', 'maxKeys'],
    maxInInterval: ['limit'],
    maxRequests: ['limit'],
    points: ['limit'],
    requests: ['limit'],
    threshold: ['limit'],
    throttlers: ['limits'],
    tokens: ['capacity'],
    bucketSize: ['capacity'],
    burst: ['capacity'],
    refill: ['refillRate'],
    rate: ['refillRate'],
    fillRate: ['refillRate'],
    leak: ['leakRate'],
    refillRate: ['leakRate'],
    leakRate: ['refillRate'],
    blockMs: ['blockDuration'],
    exponentialBackoff: ['blockDuration'],
    continueExceeding: ['countRejected'],
    leaseMs: ['lease'],
    // Who is counted, as what, and at what cost.
    key: ['keyGenerator'],
    getTracker: ['keyGenerator'],
    generateKey: ['keyGenerator'],
    identifier: ['name'],
    groupId: ['name'],
    weight: ['cost'],
    consumePerRequest: ['cost'],
    skipIf: ['skip'],
    ignoreUserAgents: ['skip'],
    allowlist: ['allowList'],
    whitelist: ['allowList'],
    denylist: ['denyList'],
    blacklist: ['denyList'],
    shadow: ['enforce'],
    dryRun: ['enforce'],
    // What is answered.
    handler: ['onLimitReached'],
    onExceeded: ['onLimitReached'],
    onBanReach: ['onLimitReached'],
    onExceeding: ['onDecision'],
    errorMessage: ['message'],
    errorResponseBuilder: ['message'],
    headers: ['standardHeaders'],
    setHeaders: ['standardHeaders'],
    // They choose among the X-RateLimit fields.
    addHeaders: ['legacyHeaders'],
    addHeadersOnExceeding: ['legacyHeaders'],
    // Where it is counted.
    storage: ['store'],
    cache: ['maxKeys'],
    redis: ['client'],
    sendCommand: ['client'],
    sendCommandCluster: ['client'],
    storeClient: ['client'],
    keyPrefix: ['prefix', 'name'],
    nameSpace: ['prefix'],
    namespace: ['prefix', 'name'],
    prefix: ['name'],
    timeoutMs: ['timeout'],
  }),
);

const QUEUE = 'choose limit: leakyBucket({ capacity, leakRate })';
const REDIS = 'use store: new RedisStore({ client })';
const REMEMBERED = 'refusals are remembered in this process as it is, before a store that is asked over a network';

/** What has no name here, but another way to say it, where the first of the two is an option. */
const SAID_HERE = new Map<string, readonly [option: string, cure: string]>(
  Object.entries({
    passOnStoreError: ['onStoreError', "use onStoreError: 'allow'"],
    skipOnError: ['onStoreError', "use onStoreError: 'allow'"],
    insuranceLimiter: ['onStoreError', "use onStoreError: 'local', which counts in this process"],
    logger: ['onStoreError', "listen to process.on('warning', ...) and subscribe('sluice:store-error', ...)"],
    onExceeding: ['onStoreError', "listen to subscribe('sluice:decision', ...)"],
    ipv6Subnet: ['standardHeaders', 'use keyGenerator: byIp({ ipv6Subnet })'],
    ipv6SubnetPrefix: ['standardHeaders', 'use keyGenerator: byIp({ ipv6Subnet })'],
    requestPropertyName: ['standardHeaders', 'the decision is always the rateLimit of the request'],
    validate: ['standardHeaders', 'wrong options are errors, dangerous ones are warnings with a code'],
    enableDraftSpec: ['standardHeaders', "use standardHeaders: 'draft-6', legacyHeaders: false"],
    draft_polli_ratelimit_headers: ['standardHeaders', "use standardHeaders: 'draft-6'"],
    execEvenly: ['keyGenerator', QUEUE],
    execEvenlyMinDelayMs: ['keyGenerator', QUEUE],
    delayAfter: ['keyGenerator', QUEUE],
    delayMs: ['keyGenerator', QUEUE],
    maxDelayMs: ['keyGenerator', QUEUE],
    minDifference: ['limits', 'add a limit of one, limits: [{ limit, window }, { limit: 1, window }]'],
    ban: ['limits', 'add a limit to limits: slidingWindow({ limit, window, countRejected: true, blockDuration })'],
    cache: ['store', 'use store: new MemoryStore({ maxKeys })'],
    redis: ['store', REDIS],
    sendCommand: ['store', REDIS],
    sendCommandCluster: ['store', REDIS],
    storeClient: ['store', REDIS],
    nameSpace: ['store', 'use store: new RedisStore({ client, prefix })'],
    inMemoryBlockOnConsumed: ['store', REMEMBERED],
    inMemoryBlockDuration: ['store', REMEMBERED],
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
export function suggestionFor(option: string, known: readonly string[]): string {
  const names = NAMED_HERE.get(option) ?? [];
  const name = names.find((each) => known.includes(each));
  if (name !== undefined) return `use ${name}`;
  const [needed, suggestion] = SAID_HERE.get(option) ?? [];
  if (needed !== undefined && known.includes(needed)) return suggestion as string;
  if (known.includes('keyGenerator')) {
    if (option === 'algorithm')
      return 'choose limit: slidingWindow({ ... }), fixedWindow({ ... }), tokenBucket({ ... })';
    const limit = [option, ...names].map((each) => OF_A_LIMIT.get(each)).find((each) => each !== undefined);
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
