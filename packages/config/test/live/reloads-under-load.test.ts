import process from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { type LivePolicies, policies } from '@sluice/config';
import { createLimiter, type Decision, type Limiter, MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { aRequest } from '../compile/a-file.js';
import { TextSource } from './text-source.js';

const isFull = process.env.SLUICE_RELOADS === 'full';
const RELOADS = isFull ? 1_000 : 60;
const REQUESTS_PER_RELOAD = 10;

/** No revision has a larger limit. */
const MOST = 100;

/** The numbers of a revision belong together: the second limit is 1,000 more than the first, in both policies. */
const text = (revision: number): string => {
  const limit = 50 + ((revision * 37) % 51);
  const limits = `limits: [{ name: minute, limit: ${limit}, window: 1m }, { name: hour, limit: ${limit + 1_000}, window: 1h }]`;
  return `version: 1\npolicies:\n  api:\n    ${limits}\n  other:\n    ${limits}\n# ${revision}\n`;
};

let client: Redis;

withRedis((started) => {
  client = started;
});

/** Checks that decisions see one revision, and that no window admits more than the largest limit. */
class Observer {
  /** The times at which requests were admitted within the last minute. */
  #admittedAtMs: number[] = [];
  admitted = 0;
  most = 0;
  mixed = 0;

  note({ allowed, verdicts }: Decision, atMs: number): void {
    const [minute, hour] = verdicts.map(({ limit }) => limit.quota);
    if ((minute ?? 0) + 1_000 !== hour) this.mixed += 1;
    this.#admittedAtMs = this.#admittedAtMs.filter((ms) => ms > atMs - 60_000);
    if (allowed) {
      this.admitted += 1;
      this.#admittedAtMs.push(atMs);
    }
    this.most = Math.max(this.most, this.#admittedAtMs.length);
  }
}

/** Reloads again and again while requests of one key are under way. */
async function load<Async extends boolean>(store: Store<Async>, clock: ManualClock): Promise<Observer> {
  const source = new TextSource(text(0));
  const live: LivePolicies<object, Async> = await policies({ source, store });
  const limiter = createLimiter(live.policy('api')) as Limiter<object>;
  const seen = new Observer();
  let applied = 0;
  for (let revision = 1; revision <= RELOADS; revision += 1) {
    source.text = text(revision);
    const ask = async (): Promise<void> => seen.note(await limiter.consume(aRequest()), clock.now());
    const first = Array.from({ length: REQUESTS_PER_RELOAD / 2 }, ask);
    const reloading = live.reload();
    const second = Array.from({ length: REQUESTS_PER_RELOAD / 2 }, ask);
    if ((await reloading).outcome === 'applied') applied += 1;
    await Promise.all([...first, ...second]);
    clock.advance(500);
  }
  await live.close();
  expect(applied).toBe(RELOADS);
  return seen;
}

describe('reloads under load', () => {
  const stores: readonly [where: string, make: (clock: ManualClock) => Store][] = [
    ['memory', (clock) => new MemoryStore({ clock })],
    ['Redis', (clock) => new RedisStore({ client, clock, prefix: 'reloads:', timeout: '30s' })],
  ];

  it.each(stores)(
    'over %s never admit more than the larger limit, and never mix two revisions',
    async (where, make) => {
      const clock = new ManualClock();
      const seen = await load(make(clock), clock);
      expect(seen.mixed).toBe(0);
      expect(seen.most).toBeLessThanOrEqual(MOST);
      // The limit was used up again and again.
      expect(seen.admitted).toBeGreaterThan(RELOADS / 2);
      expect(seen.most).toBeGreaterThanOrEqual(50);
      if (isFull) {
        const asked = RELOADS * REQUESTS_PER_RELOAD;
        process.stdout.write(
          `reloads: over ${where}, ${RELOADS} reloads during ${asked} requests: ${seen.mixed} mixed, at most ${seen.most} of ${MOST} in a window\n`,
        );
      }
    },
  );
});
