import { describe, expect, it } from '@jest/globals';
import { createLimiter, everyone, fixedWindow, type Limit, slidingWindow, tokenBucket } from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

/** A limit for everyone. Each tenant but Eve has a part of it. */
function divided(limit: Limit, part: number, total: number, lend: number) {
  const { clock, store } = manualStore();
  const limiter = createLimiter<string, false>({
    limit,
    keyGenerator: everyone(),
    guarantee: { limit: (tenant) => (tenant === 'eve' ? 0 : part), keyGenerator: (tenant) => tenant, total },
    lend,
    store,
  });
  return { clock, limiter };
}

/** The wait that `Retry-After` states. */
const inSeconds = (ms: number): number => 1000 * Math.ceil(ms / 1000);

describe('The wait for units that no part needs', () => {
  /** A part gets its unit back 100 ms from now, and the limit has room for Eve only from 50 ms to then. */
  function briefRoom() {
    const { clock, limiter } = divided(tokenBucket({ capacity: 3, refillRate: 1 }), 1, 1, 0);
    limiter.consume('ann');
    clock.advance(1950);
    limiter.consume('eve', { cost: 2 });
    clock.advance(950);
    limiter.consume('eve');
    return { clock, limiter };
  }

  it('is long enough in whole seconds, too', () => {
    const { clock, limiter } = briefRoom();
    const { retryAfterMs } = limiter.consume('eve');
    expect(retryAfterMs).toBe(1050);
    clock.advance(inSeconds(1050));
    expect(limiter.consume('eve').allowed).toBe(true);
  });

  it('counts what the parts have at the end of a block', () => {
    const { clock, limiter } = briefRoom();
    limiter.block('eve', 100);
    const { retryAfterMs } = limiter.consume('eve');
    expect(retryAfterMs).toBe(1050);
    clock.advance(1050);
    expect(limiter.consume('eve').allowed).toBe(true);
  });

  it('never ends for more units than the parts ever leave, also while they have none unused', () => {
    const { limiter } = divided(fixedWindow({ limit: 10, window: '1m', align: 'clock' }), 6, 6, 0);
    limiter.consume('ann', { cost: 6 });
    expect(limiter.consume('eve', { cost: 5 })).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    expect(limiter.consume('eve', { cost: 4 }).allowed).toBe(true);
  });

  const limits: readonly [string, Limit][] = [
    ['a sliding window', slidingWindow({ limit: 10, window: '1m' })],
    ['a fixed window', fixedWindow({ limit: 10, window: '1m', align: 'clock' })],
    ['a token bucket', tokenBucket({ capacity: 10, refillRate: 0.5 })],
    ['a fast token bucket', tokenBucket({ capacity: 10, refillRate: 7 })],
  ];
  const cases = limits.flatMap(([name, limit]) => [0, 0.3, 0.5, 1].map((lend) => [name, lend, limit] as const));

  it.each(cases)('admits who waits as told: %s, lend %d', (_, lend, limit) => {
    for (const waitOf of [inSeconds, Number]) {
      const { clock, limiter } = divided(limit, 3, 6, lend);
      let seed = 3;
      const random = (below: number): number => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        return Math.floor((seed / 2 ** 31) * below);
      };
      for (let i = 0; i < 600; i += 1) {
        const tenant = ['ann', 'bob', 'eve'][random(3)] as string;
        const cost = 1 + random(4);
        if (random(20) === 0) limiter.block(tenant, 1 + random(9000));
        if (random(50) === 0) limiter.block(['everyone'], 1 + random(2000));
        const { allowed, retryAfterMs } = limiter.consume(tenant, { cost });
        if (allowed || retryAfterMs === 'never') clock.advance(1 + random(2000));
        else {
          clock.advance(waitOf(retryAfterMs));
          expect([tenant, cost, retryAfterMs, limiter.consume(tenant, { cost }).allowed]).toEqual([
            tenant,
            cost,
            retryAfterMs,
            true,
          ]);
        }
      }
    }
  });
});
