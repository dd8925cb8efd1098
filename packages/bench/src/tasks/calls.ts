import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { blankAnswer } from '../answer.js';
import type { Decider, Quota } from '../contender.js';
import { memoryContender } from '../contenders/memory/index.js';
import { redisContender } from '../contenders/redis/index.js';
import { freshKey } from '../fresh-key.js';
import { PROOF_LIMIT, proveThatItLimits } from '../proof.js';

interface CallsOptions {
  readonly contender: string;
  /** Of the Redis that counts; absent: the contender counts in the process. */
  readonly port?: number;
}

const WINDOW_MS = 3_600_000;
const UNREACHED = 100_000;
const MOST_CALLS = 100_000;

/** A service makes its limiters before its first request. What they send by themselves has arrived by then. */
const HEAD_START_MS = 50;

/** Single decisions, one after another. Nothing is warmed up before the first. */
export async function start({ contender: name, port }: CallsOptions) {
  const { make, close } = await makerOf(name, port);
  const decider = await make({ limit: UNREACHED, windowMs: WINDOW_MS });
  await setTimeout(HEAD_START_MS);
  const answer = blankAnswer();
  // One Redis may know the keys of other processes.
  let asked = process.pid * MOST_CALLS;
  return {
    /** Asks about so many new keys. Returns the microseconds until each answer. */
    async calls(count: number): Promise<number[]> {
      const tookUs: number[] = [];
      for (let i = 0; i < count; i += 1) {
        asked += 1;
        const key = freshKey(asked);
        const startMs = performance.now();
        await decider.decide(key, answer);
        tookUs.push(1_000 * (performance.now() - startMs));
        if (!answer.allowed) throw new Error(`${name} refused a key that it did not know`);
      }
      return tookUs;
    },

    /** Shows that it limits: afterwards, because it would warm up what is measured. */
    async prove(): Promise<void> {
      const decider = await make({ limit: PROOF_LIMIT, windowMs: WINDOW_MS });
      await proveThatItLimits(name, decider, freshKey(process.pid * MOST_CALLS));
    },

    end: close,
  };
}

interface Maker {
  make(quota: Quota): Decider | Promise<Decider>;
  close(): void;
}

async function makerOf(name: string, port?: number): Promise<Maker> {
  if (port === undefined) return { make: await memoryContender(name), close() {} };
  const client = new Redis(port, '127.0.0.1');
  const contender = await redisContender(name);
  // A service has its connection before its first request.
  await client.ping();
  return { make: (quota) => contender(quota, client), close: () => client.disconnect() };
}
