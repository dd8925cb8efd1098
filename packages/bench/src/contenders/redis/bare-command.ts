import { slidingWindow } from '@sluice/core';
import { durationMs } from '@sluice/core/values';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import type { Contender, Decider, Quota } from '../../contender.js';
import { TIMEOUT } from './sluice.js';

/** The arguments of `EVALSHA`. */
type Command = readonly [sha: string, keys: number, key: string, round: string];

const BYTES = 8;
/** In the first number of a verdict, see `packages/redis/lua/reply.lua`. */
const IS_ALLOWED = 1;

/**
 * The command of a decision, which the client sends by itself: what Redis, the connection and the client take of it. All else of a decision is
 * the time of our functions. It has no deadline.
 */
export const bareCommand: Contender<[Redis]> = (quota, client) => commandWith('bare:', quota, client);

/**
 * The same with a deadline, as the client offers it. A caller that must not hang needs one. While it waits for the reply, a timer is due,
 * so the kernel has to set and to cancel it for each wait.
 */
export const bareCommandInTime: Contender<[Redis]> = (quota, client) => {
  client.options.commandTimeout = durationMs(TIMEOUT, 'timeout');
  return commandWith('bare-in-time:', quota, client);
};

async function commandWith(prefix: string, quota: Quota, client: Redis): Promise<Decider> {
  const first = 'first';
  const [sha, count, own, round] = await commandAbout(first, { prefix, quota, client });
  const start = own.slice(0, own.lastIndexOf(first));
  return {
    isAsync: true,
    async decide(key, answer) {
      const reply = (await client.callBuffer('evalsha', [sha, count, `${start}${key}}`, round])) as Buffer;
      answer.allowed = (reply.readDoubleLE(BYTES) & IS_ALLOWED) !== 0;
      answer.limit = quota.limit;
      answer.remaining = reply.readDoubleLE(2 * BYTES);
      answer.resetMs = reply.readDoubleLE(3 * BYTES);
      answer.retryMs = answer.allowed ? 0 : reply.readDoubleLE(4 * BYTES);
    },
    close: () => undefined,
  };
}

/** Lets a store decide twice, and returns the arguments of its second call: the first one sends the script itself. */
async function commandAbout(
  key: string,
  { prefix, quota: { limit, windowMs }, client }: { prefix: string; quota: Quota; client: Redis },
): Promise<Command> {
  let last: Command | undefined;
  const callBuffer = (command: string, args: Command): Promise<unknown> => {
    last = args;
    return client.callBuffer(command, [...args]);
  };
  const spied = Object.assign(Object.create(client), { callBuffer }) as Redis;
  const store = new RedisStore({ client: spied, prefix, timeout: TIMEOUT });
  const check = { policy: `q${limit}`, name: 'only', key, limit: slidingWindow({ limit, window: windowMs }), cost: 1 };
  await store.consume({ checks: [check] });
  await store.consume({ checks: [check] });
  if (!last) throw new Error('The store has not called the client');
  return last;
}
