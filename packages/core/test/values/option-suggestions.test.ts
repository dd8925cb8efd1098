import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, type PolicyOptions, slidingWindow, tokenBucket } from '@sluice/core';
import { createEnforcer, type HttpOptions } from '@sluice/core/http';

type Row = readonly [option: string, suggestion: string];

const SLOW_DOWN = 'use slowDown: { after, by, upTo }';
const QUEUE = 'choose limit: leakyBucket({ capacity, leakRate })';
const REDIS = 'use store: new RedisStore({ client })';
const DRAFT_6 = "use standardHeaders: 'draft-6'";
const BLOCK = 'it is an option of a Limit, use limit: slidingWindow({ limit, window, blockDuration })';
const BY_IP = 'use keyGenerator: byIp({ ipv6Subnet })';

/** Options of other limiters that have another name here, and the suggestion in the error. */
const PEERS: Readonly<Record<string, readonly Row[]>> = {
  'express-rate-limit': [
    ['windowMs', 'use window'],
    ['max', 'use limit'],
    ['headers', 'use legacyHeaders'],
    ['draft_polli_ratelimit_headers', DRAFT_6],
    ['identifier', 'use name'],
    ['requestPropertyName', 'the decision is always in the property rateLimit of the request'],
    ['ipv6Subnet', BY_IP],
    ['handler', 'use onLimitReached'],
    ['passOnStoreError', "use onStoreError: 'allow'"],
    ['validate', 'leave it out, because wrong options throw errors, and dangerous ones cause warnings'],
    ['logger', "listen to process.on('warning', ...) and subscribe('sluice:store-error', ...)"],
  ],
  'rate-limit-redis': [
    ['sendCommand', REDIS],
    ['sendCommandCluster', REDIS],
    ['prefix', 'use name'],
  ],
  'express-slow-down': [
    ['delayAfter', SLOW_DOWN],
    ['delayMs', SLOW_DOWN],
    ['maxDelayMs', SLOW_DOWN],
  ],
  '@nestjs/throttler': [
    ['throttlers', 'use limits'],
    ['ttl', 'use window'],
    ['blockDuration', BLOCK],
    ['ignoreUserAgents', 'use skip'],
    ['skipIf', 'use skip'],
    ['getTracker', 'use keyGenerator'],
    ['generateKey', 'use keyGenerator'],
    ['setHeaders', 'use standardHeaders, legacyHeaders and retryAfter'],
    ['errorMessage', 'use message'],
    ['storage', 'use store'],
    ['ipv6SubnetPrefix', BY_IP],
  ],
  '@fastify/rate-limit': [
    ['timeWindow', 'use window'],
    ['cache', 'use store: new MemoryStore({ maxKeys })'],
    ['redis', REDIS],
    ['nameSpace', 'use store: new RedisStore({ client, prefix })'],
    ['skipOnError', "use onStoreError: 'allow'"],
    ['groupId', 'use name'],
    ['ban', 'add a limit to limits: slidingWindow({ limit, window, countRejected: true, blockDuration })'],
    ['onBanReach', 'use onLimitReached'],
    ['onExceeded', 'use onLimitReached'],
    ['onExceeding', 'use onDecision'],
    ['continueExceeding', 'it is an option of a Limit, use limit: slidingWindow({ limit, window, countRejected })'],
    ['exponentialBackoff', BLOCK],
    ['errorResponseBuilder', 'use message'],
    ['enableDraftSpec', DRAFT_6],
    ['addHeaders', 'use legacyHeaders'],
    ['addHeadersOnExceeding', 'use legacyHeaders'],
  ],
  'rate-limiter-flexible': [
    ['points', 'use limit'],
    ['duration', 'use window, with a unit: a bare number is in milliseconds'],
    ['blockDuration', BLOCK],
    ['keyPrefix', 'use name'],
    ['execEvenly', QUEUE],
    ['execEvenlyMinDelayMs', QUEUE],
    ['insuranceLimiter', "use onStoreError: 'local', which counts in this process"],
    ['storeClient', REDIS],
    ['inMemoryBlockOnConsumed', 'leave it out, because a remote store already remembers refusals in this process'],
    ['inMemoryBlockDuration', 'leave it out, because a remote store already remembers refusals in this process'],
  ],
  'rolling-rate-limiter': [
    ['interval', 'use window'],
    ['maxInInterval', 'use limit'],
    ['minDifference', 'add a limit of one, limits: [{ limit, window }, { limit: 1, window }]'],
    ['namespace', 'use name'],
  ],
  'a limiter of one’s own': [
    ['threshold', 'use limit'],
    ['windowSizeMs', 'use window'],
    ['consumePerRequest', 'use cost'],
    ['capacity', 'it is an option of a Limit, use limit: tokenBucket({ capacity, refillRate })'],
    ['leakRate', 'it is an option of a Limit, use limit: leakyBucket({ capacity, leakRate })'],
  ],
};

const messageOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

const enforcer = (options: object) => () =>
  createEnforcer(options as HttpOptions<[]>, {
    requestOf: () => ({ method: 'GET', url: '/', ip: '203.0.113.7', headers: {} }),
    proxyTrust: () => 'none',
  });

describe.each(Object.entries(PEERS))('An option of %s', (_, rows) => {
  it.each(rows)('%s is not an option here, and the error suggests: %s', (option, suggestion) => {
    expect(messageOf(enforcer({ limit: 5, window: '1m', [option]: 'pasted' }))).toContain(
      `${option} is not an option: ${suggestion}`,
    );
  });
});

describe('The suggestion for an unknown option', () => {
  it.each([
    ['an item of limits', () => createLimiter({ limits: [{ threshold: 5 }] } as never), 'limits[0].threshold', 'limit'],
    ['a Limit', () => slidingWindow({ limit: 5, windowSizeMs: 1000 } as never), 'windowSizeMs', 'window'],
    ['a bucket', () => tokenBucket({ bucketSize: 5, refillRate: 1 } as never), 'bucketSize', 'capacity'],
    ['a store', () => new MemoryStore({ cache: 5000 } as never), 'cache', 'maxKeys'],
  ])('is an option of %s', (_, make, option, name) => {
    expect(messageOf(make)).toContain(`${option} is not an option: use ${name}, got`);
  });

  it('is always an existing option', () => {
    const noHttp = { limit: 5, window: '1m', handler: () => {} } as PolicyOptions<[string]>;
    expect(messageOf(() => createLimiter(noHttp))).toContain(
      'handler is not an option: the page options.md of @sluice/core lists the options',
    );
    expect(messageOf(() => tokenBucket({ passOnStoreError: true } as never))).toContain('the options are');
    expect(messageOf(() => tokenBucket({ delayAfter: 5 } as never))).toContain('the options are');
  });

  it.each([
    ['windwo', 'use window'],
    ['limti', 'use limit'],
    ['keyGenertor', 'use keyGenerator'],
    ['skipFailedRequest', 'use skipFailedRequests'],
    ['standartHeaders', 'use standardHeaders'],
    ['Name', 'use name'],
    ['slowdown', 'use slowDown'],
  ])('is the nearest option for the slip %s', (slip, suggestion) => {
    expect(messageOf(enforcer({ limit: 5, window: '1m', [slip]: 'typed' }))).toContain(
      `${slip} is not an option: ${suggestion}, got "typed"`,
    );
  });

  it('is the page of the options where nothing is near, and more than a dozen exist', () => {
    const message = messageOf(enforcer({ limit: 5, window: '1m', nonsense: true }));
    expect(message).toBe(
      'nonsense is not an option: the page options.md of @sluice/core lists the options, got true (SLUICE_OPTION)',
    );
  });

  it('lists up to a dozen options', () => {
    expect(messageOf(() => new MemoryStore({ nonsense: true } as never))).toContain(
      'nonsense is not an option: the options are name, maxKeys, whenFull, clock, got true',
    );
  });
});

describe('a function that is named in place of its call', () => {
  it.each([
    ['of Node.js', () => new IncomingMessage(new Socket())],
    ['of fetch', () => new Request('https://example.test')],
  ])('says so for a request %s', (_, requestOf) => {
    const { consume } = createLimiter({ name: `of ${_}`, limit: slidingWindow as never });
    expect(() => consume(requestOf() as never)).toThrow(
      'options must be an object of options, not a request: call the function, such as byIp() or slidingWindow({ ... }), got an object (SLUICE_OPTION)',
    );
  });
});
