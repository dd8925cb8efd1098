import type { Instead } from './option-suggestions.js';

/** An option that every limit item and policy has, and nothing else: it tells their options from those of stores and lines. */
const ITEM = 'partition';
/** The same for policies alone, which may have several limits. */
const POLICY = 'limits';
/** The same for the policies of limiters, which may have a store. */
const STORE = 'onStoreError';

const ON_LIMIT = 'it is an option of a Limit, use limit: ';
const BUCKET = `${ON_LIMIT}tokenBucket({ capacity, refillRate })`;
const REDIS = 'use store: new RedisStore({ client })';

/**
 * The first row that applies is used. What is only an option over HTTP, of a line or of a client has its rows there.
 *
 * `examples/coming-from/test/peer-options.test.ts` compares them all with the options that the libraries have.
 */
export const OPTIONS_OF_OTHERS: readonly Instead[] = [
  // The limit and its window.
  ['window', 'windowMs windowSizeMs windowSize timeWindow interval ttl reservoirRefreshInterval'],
  ['window', 'duration', 'use window, with a unit: a bare number is in milliseconds'], // seconds in rate-limiter-flexible
  [
    'limit',
    'max maxInInterval maxRequests points requests threshold limiter intervalCap tokensPerInterval reservoir reservoirRefreshAmount',
  ],
  ['limits', 'throttlers parentBucket'],
  ['capacity', 'tokens bucketSize burst maxTokens'],
  ['refillRate', 'refill rate fillRate leakRate tokensPerInterval'],
  ['refillInterval', 'interval'],
  ['leakRate', 'leak refillRate'],
  ['blockDuration', 'blockMs exponentialBackoff'],
  ['countRejected', 'continueExceeding'],
  ['lease', 'leaseMs'],
  // The key, its name and its cost.
  ['keyGenerator', 'key getTracker generateKey'],
  ['name', 'identifier groupId id'],
  ['prefix', 'keyPrefix nameSpace namespace'],
  ['name', 'keyPrefix namespace prefix'],
  ['cost', 'weight consumePerRequest'],
  ['skip', 'skipIf ignoreUserAgents isWhiteListed'],
  ['enforce', 'shadow dryRun'],
  // The store.
  ['store', 'storage'],
  ['maxKeys', 'cache max'],
  ['client', 'redis sendCommand sendCommandCluster storeClient'],
  ['timeout', 'timeoutMs'],
  ['store', 'cache', 'use store: new MemoryStore({ maxKeys })'],
  ['store', 'nameSpace', 'use store: new RedisStore({ client, prefix })'],
  ['store', 'redis sendCommand sendCommandCluster storeClient datastore connection clientOptions clusterNodes', REDIS],
  [
    'store',
    'ephemeralCache inMemoryBlockOnConsumed inMemoryBlockDuration',
    'leave it out, because a remote store already remembers refusals in this process',
  ],
  [STORE, 'passOnStoreError skipOnError', "use onStoreError: 'allow'"],
  [STORE, 'insuranceLimiter', "use onStoreError: 'local', which counts in this process"],
  [STORE, 'rejectIfRedisNotReady rejectIfValkeyNotReady', 'leave it out, because onStoreError decides at once'],
  [STORE, 'logger', "listen to process.on('warning', ...) and subscribe('sluice:store-error', ...)"],
  [STORE, 'onExceeding', "listen to subscribe('sluice:decision', ...)"],
  [STORE, 'analytics', "listen to subscribe('sluice:decision', ...), or use @sluice/metrics"],
  // Limits that are made in another way.
  [ITEM, 'algorithm', 'choose limit: slidingWindow({ ... }), fixedWindow({ ... }), tokenBucket({ ... })'],
  [ITEM, 'execEvenly execEvenlyMinDelayMs', 'choose limit: leakyBucket({ capacity, leakRate })'],
  ['slowDown', 'delayAfter delayMs maxDelayMs', 'use slowDown: { after, by, upTo }'],
  [POLICY, 'minDifference', 'add a limit of one, limits: [{ limit, window }, { limit: 1, window }]'],
  [POLICY, 'minTime', 'add a limit of one, limits: [..., tokenBucket({ capacity: 1, refillRate: 1000 / minTime })]'],
  [POLICY, 'maxConcurrent concurrency', "add to limits: concurrency({ limit, lease: '30s' })"],
  [
    POLICY,
    'ban blockOnConsumed',
    'add a limit to limits: slidingWindow({ limit, window, countRejected: true, blockDuration })',
  ],
  [POLICY, 'strict', 'leave it out, because limit and window slide'],
  [POLICY, 'dynamicLimits', 'use a function as limit'],
  [POLICY, 'fireImmediately', 'leave it out, because consume never waits'],
  [POLICY, 'penalty', 'use limiter.block(key, time)'],
  [POLICY, 'highWater strategy rejectOnDrop', 'use createLine({ limiter, size, order })'],
  // Options of a limit, given to a policy.
  [ITEM, 'blockDuration blockMs exponentialBackoff', `${ON_LIMIT}slidingWindow({ limit, window, blockDuration })`],
  [ITEM, 'countRejected continueExceeding', `${ON_LIMIT}slidingWindow({ limit, window, countRejected })`],
  [ITEM, 'buckets', `${ON_LIMIT}slidingWindow({ limit, window, buckets })`],
  [ITEM, 'align', `${ON_LIMIT}fixedWindow({ limit, window, align })`],
  [ITEM, 'capacity tokens bucketSize burst maxTokens refillRate refill rate fillRate reservoirIncreaseAmount', BUCKET],
  [ITEM, 'refillInterval', `${ON_LIMIT}tokenBucket({ capacity, refillRate, refillInterval })`],
  [ITEM, 'keepFor', `${ON_LIMIT}tokenBucket({ capacity, refillRate: 0, keepFor })`],
  [ITEM, 'leakRate leak', `${ON_LIMIT}leakyBucket({ capacity, leakRate })`],
  [ITEM, 'lease leaseMs', `${ON_LIMIT}concurrency({ limit, lease })`],
];
