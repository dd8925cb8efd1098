import { type Clock, type Duration, systemClock } from '@sluice/core';
import { checkName, checkOptions, durationMs, reasonOf } from '@sluice/core/values';
import { redisChanges } from './redis-changes.js';
import { connectionOf, type RedisClient, type RedisConnection } from './redis-client.js';
import type { Source } from './source.js';
import { MOST_BYTES, sourceError, sourceText } from './source-text.js';
import { within } from './waiting.js';

/** The options of `fromRedis`. */
export interface FromRedisOptions {
  /** The key whose value is the text of the policy file. Default: `sluice:policies`. */
  readonly key?: string;
  /** The channel on which a message says that the text has changed. Default: the key. */
  readonly channel?: string;
  /** How often the key is read without a message, in case one was lost. Default: 5 seconds. */
  readonly poll?: Duration;
  /** How long Redis may take. Default: 2 seconds. */
  readonly timeout?: Duration;
  /** Default: `systemClock`. */
  readonly clock?: Clock;
}

/**
 * Reads policies from a key in Redis: the same text as that of a file. After you have set the key, publish anything on the
 * channel, and all instances read it at once.
 *
 * @param client - a client of ioredis or node-redis. A duplicate of it listens to the channel until the policies are closed.
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const live = await policies({ source: fromRedis(redis), store });
 * await redis.set('sluice:policies', text);
 * await redis.publish('sluice:policies', '');
 */
export function fromRedis(client: RedisClient, options: FromRedisOptions = {}): Source {
  const connection = connectionOf(client);
  checkOptions(options, ['key', 'channel', 'poll', 'timeout', 'clock']);
  const key = checkName(options.key ?? 'sluice:policies', 'key');
  const channel = checkName(options.channel ?? key, 'channel');
  const pollMs = durationMs(options.poll ?? '5s', 'poll', 10);
  const timeoutMs = durationMs(options.timeout ?? '2s', 'timeout');
  const clock = options.clock ?? systemClock;
  const origin = `redis:${key}`;
  return {
    async read(signal) {
      const late = (): Error => sourceError(origin, `was not read within ${timeoutMs} ms`);
      const text = await within(timeoutMs, readKey(connection, key, origin), late, signal);
      return sourceText(Buffer.from(text), origin);
    },
    changes: (signal) => redisChanges(connection, { channel, pollMs, clock }, signal),
  };
}

/** Reads at most one byte more than a text may have. */
async function readKey(connection: RedisConnection, key: string, origin: string): Promise<string> {
  const text = await connection.call('GETRANGE', key, 0, MOST_BYTES).catch((cause: unknown) => {
    throw sourceError(origin, `cannot be read: ${reasonOf(cause)}`, cause);
  });
  if (typeof text === 'string' && text !== '') return text;
  throw sourceError(origin, 'does not exist, or is empty');
}
