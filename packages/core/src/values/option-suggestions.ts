import { nearest } from './nearest.js';

/**
 * Names from other libraries, and common guesses, with their names here. The first name that is an option in this place
 * is suggested.
 */
const OWN_NAMES = new Map<string, readonly string[]>(
  Object.entries({
    // The limit and its window.
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
    // The key, its name and its cost.
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
    // The response.
    handler: ['onLimitReached'],
    onExceeded: ['onLimitReached'],
    onBanReach: ['onLimitReached'],
    onExceeding: ['onDecision'],
    errorMessage: ['message'],
    errorResponseBuilder: ['message'],
    headers: ['standardHeaders'],
    setHeaders: ['standardHeaders'],
    // These choose among the X-RateLimit fields.
    addHeaders: ['legacyHeaders'],
    addHeadersOnExceeding: ['legacyHeaders'],
    // The store.
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

/** Longer lists are not read: the page that explains the options is named instead. */
const LONGEST_LIST = 12;

const QUEUE = 'choose limit: leakyBucket({ capacity, leakRate })';
const SLOW_DOWN = 'use slowDown: { after, by, upTo }';
const REDIS = 'use store: new RedisStore({ client })';
const REMEMBERED = 'leave it out, because a remote store already remembers refusals in this process';

/**
 * Options of other libraries that have no counterpart, and what to do instead. The suggestion applies if `option`
 * exists in this place.
 */
const ALTERNATIVES = new Map<string, readonly [option: string, suggestion: string]>(
  Object.entries({
    passOnStoreError: ['onStoreError', "use onStoreError: 'allow'"],
    skipOnError: ['onStoreError', "use onStoreError: 'allow'"],
    insuranceLimiter: ['onStoreError', "use onStoreError: 'local', which counts in this process"],
    logger: ['onStoreError', "listen to process.on('warning', ...) and subscribe('sluice:store-error', ...)"],
    onExceeding: ['onStoreError', "listen to subscribe('sluice:decision', ...)"],
    ipv6Subnet: ['standardHeaders', 'use keyGenerator: byIp({ ipv6Subnet })'],
    ipv6SubnetPrefix: ['standardHeaders', 'use keyGenerator: byIp({ ipv6Subnet })'],
    requestPropertyName: ['standardHeaders', 'the decision is always in the property rateLimit of the request'],
    validate: [
      'standardHeaders',
      'leave it out, because wrong options throw errors, and dangerous ones cause warnings',
    ],
    enableDraftSpec: ['standardHeaders', "use standardHeaders: 'draft-6', legacyHeaders: false"],
    draft_polli_ratelimit_headers: ['standardHeaders', "use standardHeaders: 'draft-6'"],
    execEvenly: ['keyGenerator', QUEUE],
    execEvenlyMinDelayMs: ['keyGenerator', QUEUE],
    delayAfter: ['slowDown', SLOW_DOWN],
    delayMs: ['slowDown', SLOW_DOWN],
    maxDelayMs: ['slowDown', SLOW_DOWN],
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

/** Options of a limit, and how to pass such a limit to a policy. */
const LIMIT_OPTIONS = new Map(
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

/**
 * Returns what to write instead of an unknown option, given the known ones.
 *
 * @param page - the page that explains the known ones
 */
export function suggestionFor(option: string, known: readonly string[], page = 'options.md of @sluice/core'): string {
  const names = OWN_NAMES.get(option) ?? [];
  const name = names.find((each) => known.includes(each));
  if (name !== undefined) return `use ${name}`;
  const [needed, suggestion] = ALTERNATIVES.get(option) ?? [];
  if (needed !== undefined && known.includes(needed)) return suggestion as string;
  if (known.includes('keyGenerator')) {
    if (option === 'algorithm')
      return 'choose limit: slidingWindow({ ... }), fixedWindow({ ... }), tokenBucket({ ... })';
    const limit = [option, ...names].map((each) => LIMIT_OPTIONS.get(each)).find((each) => each !== undefined);
    if (limit) return `it is an option of a Limit, use limit: ${limit}`;
  }
  const near = nearest(option, known);
  if (near !== undefined) return `use ${near}`;
  return known.length > LONGEST_LIST ? `the page ${page} lists the options` : `the options are ${known.join(', ')}`;
}

/** Returns a suggestion if a request or a client was passed in place of options. */
export function suggestionForLiveObject(given: object, known: readonly string[]): string | undefined {
  const { on, call } = given as { on?: unknown; call?: unknown };
  if (typeof on !== 'function' && typeof call !== 'function') return undefined;
  if (known.includes('client')) return 'not a client: pass { client }';
  const isRequest = known.includes('standardHeaders') && 'headers' in given;
  return isRequest ? 'not a request: call the function, app.use(rateLimit({ ... }))' : undefined;
}
