import { slidingWindow } from '@sluice/core';
import { Redis } from 'ioredis';
import { FleetInstance } from '../contenders/redis/fleet.js';
import { randomOf, zipfOf } from '../random.js';
import { type WorkOfDecision, workOf, workOfDecision } from '../redis-work.js';

interface FleetOptions {
  readonly contender: string;
  readonly port: number;
  readonly instances: number;
}

/** Requests that come by the clock, whether earlier ones have their answers or not. */
export interface FleetLoad {
  /** Rounds with the same name share their keys. */
  readonly name: string;
  /** Of a minute, for each key. */
  readonly limit: number;
  readonly keys: number;
  /** How the requests are spread over the keys: all alike, or the key at place n with a weight of 1/n. */
  readonly spread: 'even' | 'zipf';
  /** Of all instances together. */
  readonly perSecond: number;
  /** First for so long, so that slices have their size, and then so long while it is measured. */
  readonly settleMs: number;
  readonly ms: number;
}

export interface FleetWork extends WorkOfDecision {
  /** Of those that were measured. */
  readonly admitted: number;
}

/** How often what is due is asked. */
const TURN_MS = 2;

export async function start({ contender, port, instances: count }: FleetOptions) {
  const observer = new Redis(port, '127.0.0.1');
  const instances = Array.from(
    { length: count },
    () => new FleetInstance(contender, new Redis(port, '127.0.0.1'), count),
  );

  await Promise.all(instances.map((instance) => instance.ready()));

  const run = async ({ name, limit, keys, spread, perSecond, settleMs, ms }: FleetLoad): Promise<FleetWork> => {
    const limiters = instances.map((one) => one.limiterOf(name, slidingWindow({ limit, window: '1m' })));
    const random = randomOf(1);
    const drawKey = spread === 'zipf' ? zipfOf(keys, random) : () => Math.floor(random() * keys);
    const asked = new Set<Promise<void>>();
    let admitted = 0;
    let failed: unknown;

    const ask = async (): Promise<void> => {
      const limiter = limiters[Math.floor(random() * count)];
      const decision = await limiter?.consume(`${name}-${drawKey()}`);
      if (decision?.source !== 'store') throw new Error(`Not the store has answered, but ${decision?.source}`);
      if (decision.allowed) admitted += 1;
    };

    /** Asks for so long, and returns how many requests were sent. */
    const load = async (forMs: number): Promise<number> => {
      const startMs = performance.now();
      let sent = 0;
      for (let tookMs = 0; tookMs < forMs; tookMs = performance.now() - startMs) {
        for (const due = Math.floor((tookMs * perSecond) / 1000); sent < due; sent += 1) {
          const asking: Promise<void> = ask()
            .catch((error) => {
              failed ??= error;
            })
            .finally(() => asked.delete(asking));
          asked.add(asking);
        }
        await new Promise((resolve) => setTimeout(resolve, TURN_MS));
      }
      await Promise.all(asked);
      if (failed !== undefined) throw failed;
      return Math.max(1, sent);
    };

    await load(settleMs);
    admitted = 0;
    const before = await workOf(observer);
    const decisions = await load(ms);
    return { ...workOfDecision(before, await workOf(observer), decisions), admitted };
  };

  const end = async (): Promise<void> => {
    await Promise.all(instances.map((instance) => instance.close()));
    observer.disconnect();
  };
  return { run, end };
}
