import assert from 'node:assert/strict';
import type { Check } from '../../stores/store.js';
import type { Limit } from '../../values/limit.js';
import { type Bench, exactly, figuresOf, onlyVerdict, type Rules } from './bench.js';
import { EVERY_LIMIT } from './every-limit.js';

/** Fills a key up to its last unit and beyond, so that it is refused, blocked and counted on. */
async function exhaust(bench: Bench, check: Check): Promise<void> {
  for (const id of ['a', 'b', 'c', 'd', 'e']) await bench.consume(check, { id });
}

const peek = async (bench: Bench, check: Check) => figuresOf(onlyVerdict(await bench.peek(check)));

/** Keys as if they had never been. */
export const forgettingRules: Rules = {
  'answers like a fresh key when the time to reset is over, and not a millisecond before': exactly(async (bench) => {
    for (const [name, limit] of bench.limits) {
      const check = bench.check(limit, { name });
      const fresh = (key: string) => bench.check(limit, { name, key });
      await exhaust(bench, check);
      const { resetAfterMs } = onlyVerdict(await bench.peek(check));
      bench.clock.advance((resetAfterMs as number) - 1);
      assert.notDeepEqual(await peek(bench, check), await peek(bench, fresh('b')), name);
      bench.clock.advance(1);
      assert.deepEqual(await peek(bench, check), await peek(bench, fresh('b')), name);
      const [old, first] = [await bench.consume(check, { id: 'x' }), await bench.consume(fresh('c'), { id: 'y' })];
      assert.deepEqual(figuresOf(onlyVerdict(old)), figuresOf(onlyVerdict(first)), name);
    }
  }),

  'admits again exactly when it said it would, and not a millisecond before': exactly(async (bench) => {
    for (const [name, limit] of bench.limits) {
      const check = bench.check(limit, { name });
      await exhaust(bench, check);
      const { retryAfterMs } = onlyVerdict(await bench.peek(check));
      bench.clock.advance((retryAfterMs as number) - 1);
      assert.equal((await bench.peek(check)).allowed, false, name);
      bench.clock.advance(1);
      assert.equal((await bench.consume(check, { id: 'f' })).allowed, true, name);
    }
  }),

  async 'forgets a key on reset under every algorithm, blocks and slots included'(bench) {
    for (const [, limit] of bench.limits) await exhaust(bench, bench.check(limit));
    const algorithms = new Set(bench.limits.map(([, { algorithm }]) => algorithm));
    const forgotten = await bench.reset(bench.check(EVERY_LIMIT['sliding window'] as Limit));
    assert.equal(forgotten, algorithms.size, 'one state of each algorithm');
    for (const [name, limit] of bench.limits) {
      assert.deepEqual(
        await peek(bench, bench.check(limit)),
        await peek(bench, bench.check(limit, { key: 'new' })),
        name,
      );
    }
  },

  async 'forgets on reset what it is told to and nothing else'(bench) {
    const limit = EVERY_LIMIT['sliding window'] as Limit;
    const checks = [{}, { key: 'bob' }, { name: 'other' }, { policy: 'other' }].map((own) => bench.check(limit, own));
    for (const check of checks) await bench.consume(check);
    await bench.reset(checks[0] as Check);
    const left = async () => Promise.all(checks.map((check) => bench.remaining(check)));
    assert.deepEqual(await left(), [4, 3, 3, 3]);
    await bench.reset(checks[1] as Check, checks[3] as Check);
    assert.deepEqual(await left(), [4, 4, 3, 4]);
  },

  async 'answers how many states it forgot, and 0 for what it never knew'(bench) {
    const check = bench.check(EVERY_LIMIT['fixed window'] as Limit);
    const others = ['bob', 'cid', 'dot'].map((key) => bench.check(check.limit, { key }));
    assert.equal(await bench.reset(check), 0);
    assert.equal(await bench.reset(), 0);
    for (const known of [check, ...others.slice(0, 2)]) await bench.consume(known);
    assert.equal(await bench.reset(check, ...others), 3);
    assert.equal(await bench.reset(check, ...others), 0);
  },

  async 'counts no key among the forgotten that was only looked at or refused'(bench) {
    const check = bench.check(EVERY_LIMIT['fixed window'] as Limit, { cost: 5 });
    await bench.peek(check);
    assert.equal((await bench.consume(check)).allowed, false);
    assert.equal(await bench.reset(check), 0);
  },
};
