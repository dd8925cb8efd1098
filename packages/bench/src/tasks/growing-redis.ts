import { createLimiter, slidingWindow } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { type Load, loadOf } from '../concurrent-callers.js';
import { deciderOf, TIMEOUT } from '../contenders/redis/sluice.js';
import { keyMaker } from './growing-memory.js';

export interface GrowingRedisOptions {
  readonly port: number;
  /** How many policies share the connection. */
  readonly policies: number;
  /** How many characters a key has, 36 or more. */
  readonly keyLength: number;
}

const KEYS = 10_000;

/** Asks about the policies in turn. Each has a limit of its own. */
export async function start({ port, policies, keyLength }: GrowingRedisOptions) {
  const client = new Redis(port, '127.0.0.1');
  const store = new RedisStore({ client, timeout: TIMEOUT });
  const keys = Array.from({ length: KEYS }, (_, n) => keyMaker(keyLength)(n));
  const deciders = Array.from({ length: policies }, (_, i) => {
    const limit = slidingWindow({ limit: 1_000_000 + i, window: '1h' });
    return deciderOf(createLimiter<string, true>({ name: `p${policies}-${i}-${keyLength}`, limit, store }), store);
  });
  let asked = 0;
  return {
    run(round: { readonly callers: number; readonly ms: number }): Promise<Load> {
      return loadOf(
        (answer) => {
          asked += 1;
          return deciders[asked % policies]?.decide(keys[asked % KEYS] as string, answer);
        },
        { ...round, isAllowed: true },
      );
    },
    end: () => client.disconnect(),
  };
}
