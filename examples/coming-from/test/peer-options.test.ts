import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { limitedFetch } from '@sluice/client';
import { createLimiter, createLine } from '@sluice/core';
import { createEnforcer, type HttpOptions } from '@sluice/core/http';

/** Returns the options that types of a package have, as its declarations list them. */
function declared(name: string, file: string, ...types: readonly string[]): string[] {
  const folder = dirname(require.resolve(name)).replace(new RegExp(`(node_modules/${name})/.*`), '$1');
  const text = readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  return types.flatMap((type) => {
    const body = new RegExp(`(?:interface|type) ${type}\\b[^{]*(\\{[\\s\\S]*?\\n *\\}(?:;|\\n))`).exec(text)?.[1];
    if (body === undefined) throw new Error(`${name} declares no type ${type}`);
    return membersOf(body);
  });
}

/** Returns the names in the outermost braces. */
function membersOf(body: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token, name] of body.matchAll(/[{([]|[})\]]|(?:^|[\n;])\s*(?:readonly )?(\w+)\??\s*[:(]/g)) {
    if (name !== undefined && depth === 1) names.push(name);
    if (/[{([]$/.test(token)) depth += 1;
    if (/^[})\]]/.test(token)) depth -= 1;
  }
  return names;
}

/** What belongs to a database that is not Redis, or to one way to talk to it: the stores here have options of their own. */
const OF_DATABASES = [
  'storeType',
  'dbName',
  'tableName',
  'tableCreated',
  'clearExpiredByTimeout',
  'useRedisPackage',
  'useRedis3AndLowerPackage',
  'customIncrTtlLuaScript',
  'resetExpiryOnChange',
  'clearDatastore',
];
/** What has no counterpart, and would be found out of place by nobody. */
const WITHOUT_COUNTERPART = ['limiters', 'runActionAnyway', 'trackDoneStatus', 'Promise', 'autoStart', 'queueClass'];

interface Peer {
  readonly options: readonly string[];
  /** Where its options are pasted. */
  readonly into: (options: object) => unknown;
}

const policy = (options: object) => createLimiter({ limit: 5, window: '1m', ...options });
const http = (options: object) =>
  createEnforcer({ limit: 5, window: '1m', ...options } as HttpOptions<[]>, {
    requestOf: () => ({ method: 'GET', url: '/', ip: '203.0.113.7', headers: {} }),
    proxyTrust: () => 'none',
  });
const line = (options: object) => createLine({ limiter: createLimiter({ limit: 5, window: '1m' }), ...options });

const retry = (options: object) => limitedFetch({ name: 'api', retry: options });

/** The packages that the repository has for its tests say their options themselves. */
const PEERS: Readonly<Record<string, Peer>> = {
  'express-rate-limit': { options: declared('express-rate-limit', 'dist/index.d.ts', 'Options'), into: http },
  'rate-limit-redis': {
    options: declared('rate-limit-redis', 'dist/index.d.ts', 'CommonOptions', 'SingleOptions', 'ClusterOptions'),
    into: http,
  },
  '@nestjs/throttler': {
    options: declared(
      '@nestjs/throttler',
      'dist/throttler-module-options.interface.d.ts',
      'ThrottlerOptions',
      'ThrottlerModuleOptions',
    ),
    into: http,
  },
  '@fastify/rate-limit': {
    options: declared(
      '@fastify/rate-limit',
      'types/index.d.ts',
      'CreateRateLimitOptions',
      'RateLimitOptions',
      'RateLimitPluginOptions',
    ).filter((name) => !['hook', 'global'].includes(name)), // the plugin for Fastify has both
    into: http,
  },
  'rate-limiter-flexible': {
    options: declared(
      'rate-limiter-flexible',
      'types.d.ts',
      'IRateLimiterOptions',
      'IRateLimiterStoreOptions',
      'IRateLimiterRedisOptions',
      'IRateLimiterValkeyOptions',
    ),
    into: policy,
  },
  'rate-limiter-flexible, its lists': {
    options: declared('rate-limiter-flexible', 'types.d.ts', 'IRLWrapperBlackAndWhiteOptions'),
    into: http,
  },
  // These are not among the packages of the repository: their options are copied from their documentation.
  'express-slow-down 3.1': { options: ['delayAfter', 'delayMs', 'maxDelayMs', 'validate'], into: http },
  'rolling-rate-limiter 0.4': { options: ['interval', 'maxInInterval', 'minDifference', 'namespace'], into: policy },
  'bottleneck 2.19': {
    options: [
      'maxConcurrent',
      'minTime',
      'highWater',
      'strategy',
      'penalty',
      'reservoir',
      'reservoirRefreshInterval',
      'reservoirRefreshAmount',
      'reservoirIncreaseAmount',
      'id',
      'rejectOnDrop',
      'trackDoneStatus',
      'datastore',
      'clearDatastore',
      'connection',
      'clientOptions',
      'clusterNodes',
      'Promise',
    ],
    into: policy,
  },
  'bottleneck 2.19, given to a line': {
    options: ['maxConcurrent', 'minTime', 'highWater', 'strategy', 'reservoir', 'expiration'],
    into: line,
  },
  'limiter 3': {
    options: ['tokensPerInterval', 'interval', 'fireImmediately', 'bucketSize', 'parentBucket'],
    into: policy,
  },
  '@upstash/ratelimit 2': {
    options: [
      'redis',
      'limiter',
      'prefix',
      'ephemeralCache',
      'analytics',
      'timeout',
      'enableProtection',
      'dynamicLimits',
    ],
    into: http,
  },
  'p-queue 9': {
    options: ['concurrency', 'interval', 'intervalCap', 'strict', 'autoStart', 'queueClass'],
    into: policy,
  },
  'p-queue 9, given to a line': {
    options: ['concurrency', 'interval', 'intervalCap', 'strict', 'timeout', 'priority'],
    into: line,
  },
  'got 15, axios-retry 4 and p-retry 8, as retry': {
    options: ['limit', 'retries', 'methods', 'backoffLimit', 'minTimeout'],
    into: retry,
  },
  'p-throttle 8': { options: ['limit', 'interval', 'strict'], into: policy },
};

/** What the error says of an option; undefined if it is an option here, too. */
function saidOf(option: string, into: Peer['into']): string | undefined {
  try {
    into({ [option]: 'pasted' });
  } catch (error) {
    return /\w+ is not an option: (.*), got /.exec((error as Error).message)?.[1];
  }
  return undefined;
}

it.each([
  ['express-rate-limit', ['windowMs', 'keyGenerator', 'passOnStoreError']],
  ['rate-limit-redis', ['sendCommand', 'prefix', 'sendCommandCluster']],
  ['@nestjs/throttler', ['ttl', 'throttlers', 'getTracker']],
  ['@fastify/rate-limit', ['max', 'ban', 'exponentialBackoff', 'nameSpace']],
  ['rate-limiter-flexible', ['points', 'storeClient', 'rejectIfRedisNotReady']],
])('the declarations of %s are read', (name, some) => {
  expect(PEERS[name]?.options).toEqual(expect.arrayContaining(some));
});

describe.each(Object.entries(PEERS))('Options of %s', (_, { options, into }) => {
  const without = [...OF_DATABASES, ...WITHOUT_COUNTERPART];

  it.each(options.filter((option) => !without.includes(option)))(
    '%s is one here, or the error says what is',
    (option) => {
      expect(saidOf(option, into) ?? '').not.toMatch(/^the page|^the options are/);
    },
  );
});

describe('The suggestion', () => {
  it.each([
    [policy, 'maxConcurrent', "add to limits: concurrency({ limit, lease: '30s' })"],
    [policy, 'minTime', 'add a limit of one, limits: [..., tokenBucket({ capacity: 1, refillRate: 1000 / minTime })]'],
    [policy, 'tokensPerInterval', 'use limit'],
    [policy, 'fireImmediately', 'leave it out, because consume never waits'],
    [policy, 'ephemeralCache', 'leave it out, because a remote store already remembers refusals in this process'],
    [policy, 'analytics', "listen to subscribe('sluice:decision', ...), or use @sluice/metrics"],
    [policy, 'limiter', 'use limit'],
    [policy, 'highWater', 'use createLine({ limiter, size, order })'],
    [http, 'enableProtection', 'use denyList'],
    [http, 'headers', 'use legacyHeaders'],
    [http, 'setHeaders', 'use standardHeaders, legacyHeaders and retryAfter'],
    [policy, 'duration', 'use window, with a unit: a bare number is in milliseconds'],
    [
      policy,
      'blockOnConsumed',
      'add a limit to limits: slidingWindow({ limit, window, countRejected: true, blockDuration })',
    ],
    [line, 'highWater', 'use size, or perKey for each key'],
    [line, 'expiration', 'give run a signal, AbortSignal.timeout(ms)'],
    [line, 'timeout', 'give run a signal, AbortSignal.timeout(ms)'],
    [line, 'maxConcurrent', 'give it to the limiter: createLimiter({ limits })'],
    [line, 'strategy', 'use order'],
    [retry, 'retries', 'use attempts, which is one more: it counts the first time'],
    [retry, 'minTimeout', 'use base'],
    [retry, 'backoffLimit', 'leave it out, because maxWait of the client bounds all waits of a call'],
  ])('of %p for %s', (into, option, suggestion) => {
    expect(saidOf(option, into)).toBe(suggestion);
  });
});
