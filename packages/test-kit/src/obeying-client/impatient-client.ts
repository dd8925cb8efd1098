import { expect, it } from '@jest/globals';
import type { StartAdapter } from '@sluice/conformance';
import { type Limit, tokenBucket } from '@sluice/core';
import fc from 'fast-check';
import { isPriced, refillingItems } from './arbitrary-policies.js';
import type { Flight } from './flight.js';
import type { Answer } from './wire.js';
import { World } from './world.js';

const requests = fc.array(
  fc.record({ share: fc.integer({ min: 1, max: 1000 }), gapMs: fc.oneof(fc.constant(0), fc.nat(1500)) }),
  { maxLength: 30, size: 'max' },
);

/** Tests clients that do not obey: the promise says no less than it must, and no more than it can. */
export function impatientClient(start: StartAdapter, runs: number, timeoutMs: number): void {
  const inWorldOf = (limit: Limit, body: (world: World) => Promise<void>): Promise<void> =>
    World.with(start, [[{ limit, fixedCost: undefined }]], body);

  const isAdmittedInTime = fc.asyncProperty(refillingItems, requests, (items, script) =>
    World.with(start, [items], async (world) => {
      const largestCost = Math.min(...items.filter(isPriced).map(({ limit }) => limit.quota), 40);
      // Two clients do the same at the same times. So one can come too early without an effect on the other.
      const both = async (cost: number): Promise<Flight> => {
        await world.send(cost, { key: 'early' });
        return world.send(cost, { key: 'late' });
      };

      let [cost, refused] = [1, undefined as Answer | undefined];
      for (let i = 0; refused?.status !== 429; i += 1) {
        const { share, gapMs } = script[i] ?? { share: 1, gapMs: 0 };
        await world.pass(gapMs);
        cost = Math.ceil((largestCost * share) / 1000);
        refused = (await both(cost)).answer;
      }
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThanOrEqual(1);
      await world.pass((seconds - 1) * 1000);
      const early = await world.send(cost, { key: 'early' });
      await world.pass(1000);
      const late = await world.send(cost, { key: 'late' });
      await world.land();
      expect([early.answer?.status, late.answer?.status]).toEqual([429, 200]);
    }),
  );

  it(
    'is refused, and admitted when Retry-After is over but not a second before',
    async () => fc.assert(isAdmittedInTime, { numRuns: runs }),
    timeoutMs,
  );

  it('is refused when of two answers that overlap it believes the shorter t', () =>
    inWorldOf(tokenBucket({ capacity: 3, refillRate: 2, refillInterval: 1001 }), async (world) => {
      await world.send(1);
      const [one, other] = [await world.send(1, { hold: { departure: true } }), await world.send(1)];
      await world.release(one);
      const fields = [one, other].map(({ answer }) => answer?.headers.ratelimit);
      expect(fields).toEqual(['"limit-0";r=1;t=1', '"limit-0";r=0;t=2']);
      await world.pass(1000);
      expect((await world.send(1)).answer?.status).toBe(429);
      await world.pass(1000);
      expect((await world.send(1)).answer?.status).toBe(200);
    }));

  it('is refused when of two answers that overlap it repeats the dearer request', () =>
    inWorldOf(tokenBucket({ capacity: 3, refillRate: 1 }), async (world) => {
      await world.send(0);
      const [one, other] = [await world.send(2, { hold: { departure: true } }), await world.send(1)];
      await world.release(one);
      const fields = [one, other].map(({ answer }) => answer?.headers.ratelimit);
      expect(fields).toEqual(['"limit-0";r=1;t=1', '"limit-0";r=0;t=1']);
      await world.pass(1000);
      expect((await world.send(2)).answer?.status).toBe(429);
      expect((await world.send(1)).answer?.status).toBe(200);
    }));

  it('is told no time to come back when none helps', () =>
    inWorldOf(tokenBucket({ capacity: 2, refillRate: 0 }), async (world) => {
      const statuses: (number | undefined)[] = [];
      for (let i = 0; i < 3; i += 1) statuses.push((await world.send(1)).answer?.status);
      expect(statuses).toEqual([200, 200, 429]);
      const { answer } = await world.send(1);
      expect(answer?.status).toBe(429);
      expect(answer?.headers).not.toHaveProperty('retry-after');
      expect(answer?.headers.ratelimit).toBe('"limit-0";r=0');
    }));
}
