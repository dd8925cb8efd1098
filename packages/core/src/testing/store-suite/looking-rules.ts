import assert from 'node:assert/strict';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import type { Check } from '../../stores/store.js';
import { type Bench, exactly, figuresOf, onlyVerdict, type Rules } from './bench.js';

/** Looks of every size, of which some are refused, with all that a question may carry. */
export async function lookAround(bench: Bench, checks: readonly Check[]): Promise<void> {
  for (const cost of [0, 1, 1000]) {
    const sized = checks.map((check) => ({ ...check, cost }));
    await bench.peek(sized);
    await bench.peek(sized, { id: `look-${cost}`, holdMs: 60_000, atLeast: 1 });
  }
}

/** Questions that are not written. */
export const lookingRules: Rules = {
  'answers a look as the same question would be answered, but for what that spends': exactly(async (bench) => {
    for (const [name, limit] of bench.limits) {
      const check = bench.check(limit, { name });
      const look = onlyVerdict(await bench.peek(check));
      assert.deepEqual([look.allowed, ...figuresOf(look)], [true, 4, 0, 0, 0, 0], name);
      assert.equal(onlyVerdict(await bench.consume(check, { id: 'a' })).remaining, 3, name);
    }
  }),

  async 'starts no block, counts no refusal and takes no slot on a look'(bench) {
    for (const [name, limit] of bench.limits) {
      const check = bench.check(limit, { name });
      for (const id of ['a', 'b', 'c', 'd']) await bench.consume(check, { id: `${name} ${id}` });
      const before = await bench.peek(check);
      assert.equal(before.allowed, false, name);
      await lookAround(bench, [check]);
      assert.deepEqual(await bench.peek(check), before, name);
    }
  },

  async 'does not remember the answer to a look'(bench) {
    const check = bench.check(fixedWindow({ limit: 2, window: '1s' }));
    await bench.peek(check, { id: 'a', holdMs: 1000 });
    const { verdicts } = await bench.consume(check, { id: 'a', holdMs: 1000 });
    assert.equal(verdicts[0]?.remaining, 1);
  },
};
