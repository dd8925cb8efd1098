import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { type Limit, tokenBucket } from '../src/index.js';
import {
  anyPolicies,
  type Item,
  isPriced,
  itemOf,
  LIMITS,
  optionsOf,
  refillingItems,
} from './obeying-client/arbitrary-policies.js';
import type { Flight } from './obeying-client/flight.js';
import { Play, steps } from './obeying-client/play.js';
import { type Answer, Wire } from './obeying-client/wire.js';
import { World } from './obeying-client/world.js';

/** How often a property is tried; set `SLUICE_RUNS` for a longer hunt. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 100);
const runs = (share: number): { numRuns: number } => ({ numRuns: Math.ceil(RUNS * share) });
jest.setTimeout(20_000 + RUNS * 200);

const wire = new Wire();
beforeAll(() => wire.listen());
afterAll(() => wire.close());

describe('a client that obeys the header fields', () => {
  const isNeverRefused = (policies: fc.Arbitrary<readonly (readonly Item[])[]>) =>
    fc.asyncProperty(policies, steps, async (policies, script) => {
      const play = new Play(wire, policies);
      for (const step of script) await play.make(step);
      await play.end();
      expect(play.answers.filter(({ status }) => status !== 200)).toEqual([]);
    });

  it.each(Object.entries(LIMITS))('is never refused by %s', async (_name, limit) => {
    await fc.assert(isNeverRefused(itemOf(limit).map((item) => [[item]])), runs(0.3));
  });

  it('is never refused by several limits and limiters', async () => {
    await fc.assert(isNeverRefused(anyPolicies), runs(2));
  });
});

describe('a client that does not', () => {
  const worldOf = (limit: Limit): World => new World(wire, optionsOf([[{ limit, fixedCost: undefined }]]));

  const requests = fc.array(
    fc.record({ share: fc.integer({ min: 1, max: 1000 }), gapMs: fc.oneof(fc.constant(0), fc.nat(1500)) }),
    { maxLength: 30, size: 'max' },
  );

  it('is refused, and admitted when Retry-After is over but not a second before', async () => {
    const property = fc.asyncProperty(refillingItems, requests, async (items, script) => {
      const world = new World(wire, optionsOf([items]));
      const largestCost = Math.min(...items.filter(isPriced).map(({ limit }) => limit.quota), 40);
      // Two clients do the same at the same times, so that one can come too early without spoiling it for the other.
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
      world.store.close();
      expect([early.answer?.status, late.answer?.status]).toEqual([429, 200]);
    });
    await fc.assert(property, runs(1));
  });

  it('is refused when of two answers that overlap it believes the shorter t', async () => {
    const world = worldOf(tokenBucket({ capacity: 3, refillRate: 2, refillInterval: 1001 }));
    await world.send(1);
    const [one, other] = [await world.send(1, { hold: { departure: true } }), await world.send(1)];
    await world.release(one);
    const fields = [one, other].map(({ answer }) => answer?.headers.ratelimit);
    expect(fields).toEqual(['"limit-0";r=1;t=1', '"limit-0";r=0;t=2']);
    await world.pass(1000);
    expect((await world.send(1)).answer?.status).toBe(429);
    await world.pass(1000);
    expect((await world.send(1)).answer?.status).toBe(200);
    world.store.close();
  });

  it('is refused when of two answers that overlap it repeats the dearer request', async () => {
    const world = worldOf(tokenBucket({ capacity: 3, refillRate: 1 }));
    await world.send(0);
    const [one, other] = [await world.send(2, { hold: { departure: true } }), await world.send(1)];
    await world.release(one);
    const fields = [one, other].map(({ answer }) => answer?.headers.ratelimit);
    expect(fields).toEqual(['"limit-0";r=1;t=1', '"limit-0";r=0;t=1']);
    await world.pass(1000);
    expect((await world.send(2)).answer?.status).toBe(429);
    expect((await world.send(1)).answer?.status).toBe(200);
    world.store.close();
  });

  it('is told no time to come back when none helps', async () => {
    const world = worldOf(tokenBucket({ capacity: 2, refillRate: 0 }));
    const statuses: (number | undefined)[] = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await world.send(1)).answer?.status);
    expect(statuses).toEqual([200, 200, 429]);
    const { answer } = await world.send(1);
    expect(answer?.status).toBe(429);
    expect(answer?.headers).not.toHaveProperty('retry-after');
    expect(answer?.headers.ratelimit).toBe('"limit-0";r=0');
    world.store.close();
  });
});
