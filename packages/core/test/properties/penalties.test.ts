import { describe, expect, it } from '@jest/globals';
import {
  fixedWindow,
  type Limit,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { inWorld } from './world.js';

/**
 * Limits of 4 units in 1000 ms, with penalties, and in how many windows of the last admission a key that never stops asking is
 * admitted again: a counter weighs refusals in the window after theirs, and a bucket in full debt has to fill twice.
 */
const LIMITS: readonly (readonly [name: string, windows: number, make: (penalties: object) => Limit])[] = [
  ['a sliding window', 2, (penalties) => slidingWindow({ limit: 4, window: 1000, ...penalties })],
  ['a sliding window log', 2, (penalties) => slidingWindowLog({ limit: 4, window: 1000, ...penalties })],
  ['a sliding window counter', 3, (penalties) => slidingWindowCounter({ limit: 4, window: 1000, ...penalties })],
  ['a fixed window', 2, (penalties) => fixedWindow({ limit: 4, window: 1000, ...penalties })],
  ['a token bucket', 3, (penalties) => tokenBucket({ capacity: 4, refillRate: 4, ...penalties })],
];

describe.each(LIMITS)('%s', (name, windows, make) => {
  it(`that counts refusals locks no key out for longer than ${windows} windows`, () => {
    const limit = make({ countRejected: true });
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 4 }),
        (atMs, everyMs, cost) =>
          inWorld((world) => {
            world.clock.advance(atMs);
            const admittedMs = world.clock.now();
            world.consume(limit, 4);
            do world.clock.advance(everyMs);
            while (!world.consume(limit, cost).allowed && world.clock.now() < admittedMs + 9000);
            expect(world.clock.now() - admittedMs).toBeLessThanOrEqual(windows * 1000 + everyMs);
          }),
      ),
      runs(0.5),
    );
  });

  if (name !== 'a fixed window') {
    it('that always counts refusals admits no key that keeps asking', () =>
      inWorld((world) => {
        const limit = make({ countRejected: 'always' });
        for (let i = 0; i < 100; i += 1) {
          expect(world.consume(limit, 4).allowed).toBe(i === 0);
          world.clock.advance(200);
        }
      }));
  }

  it('counts no refusal of a cost that can never fit, of a cost of 0, and of a peek', () =>
    inWorld((world) => {
      const limit = make({ countRejected: 'always' });
      world.consume(limit);
      const before = world.peek(limit);
      world.consume(limit, 5);
      world.consume(limit, 0);
      world.peek(limit, 4);
      expect(world.peek(limit)).toEqual(before);
    }));

  it('counts no refusal of a key that was never admitted', () =>
    inWorld((world) => {
      const limit = make({ countRejected: true });
      const closed = slidingWindow({ limit: 0, window: 1000, name: 'closed' });
      world.ask([world.check(limit), world.check(closed)]);
      expect(world.peek(limit).remaining).toBe(4);
      expect(world.store.size).toBe(0);
    }));

  it('blocks from its own refusal on, ignores further refusals, and lifts the block by itself', () =>
    inWorld((world) => {
      const limit = make({ blockDuration: 5000 });
      world.consume(limit, 3);
      expect(world.consume(limit, 2)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 5000 });
      world.clock.advance(2000);
      expect(world.consume(limit, 1)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 3000 });
      world.clock.advance(2999);
      expect(world.consume(limit, 0).allowed).toBe(false);
      world.clock.advance(1);
      expect(world.consume(limit, 4)).toMatchObject({ allowed: true, remaining: 0 });
    }));

  it('starts no block because of a peek, a cost of 0 or the refusal of another limit', () =>
    inWorld((world) => {
      const limit = make({ blockDuration: 5000 });
      const closed = slidingWindow({ limit: 0, window: 1000, name: 'closed' });
      world.consume(limit, 4);
      world.peek(limit, 1);
      world.adjust(limit, 1);
      expect(world.consume(limit, 0).allowed).toBe(false);
      world.clock.advance(4000);
      world.ask([world.check(limit), world.check(closed)]);
      expect(world.peek(limit)).toMatchObject({ allowed: true, remaining: 4, retryAfterMs: 0 });
    }));
});
