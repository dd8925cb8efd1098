import { fixedWindow, type LimitCheck } from '@sluice/core';
import * as assert from '../assert.js';
import { atOnce, exactly, figuresOf, onlyVerdict, type Rules, type StoreFixture } from './store-fixture.js';

/**
 * Peeks with many costs, some of which would be refused, and with all fields that a request can have. All are asked at once: they write
 * nothing, so none of them has to wait for another one.
 */
export async function peekVariously(fixture: StoreFixture, checks: readonly LimitCheck[]): Promise<void> {
  const peeks = [0, 1, 1000].flatMap((cost) => {
    const sized = checks.map((check) => ({ ...check, cost }));
    return [fixture.peek(sized), fixture.peek(sized, { id: `look-${cost}`, holdMs: 60_000, atLeast: 1 })];
  });
  await Promise.all(peeks);
}

/** Peeks write nothing. */
export const peekRules: Rules = {
  'returns the same decision for a peek as for a request, without spending': exactly(async (fixture) => {
    await atOnce(fixture.limits, async ([name, limit]) => {
      const check = fixture.check(limit, { name });
      const look = onlyVerdict(await fixture.peek(check));
      assert.deepEqual([look.allowed, ...figuresOf(look)], [true, 4, 0, 0, 0, 0, 0], name);
      assert.equal(onlyVerdict(await fixture.consume(check, { id: 'a' })).remaining, 3, name);
    });
  }),

  async 'starts no block, counts no refusal and takes no slot on a peek'(fixture) {
    await atOnce(fixture.limits, async ([name, limit]) => {
      const check = fixture.check(limit, { name });
      for (const id of ['a', 'b', 'c', 'd']) await fixture.consume(check, { id: `${name} ${id}` });
      const before = await fixture.peek(check);
      assert.equal(before.allowed, false, name);
      await peekVariously(fixture, [check]);
      assert.deepEqual(await fixture.peek(check), before, name);
    });
  },

  async 'does not remember the reply to a peek'(fixture) {
    const check = fixture.check(fixedWindow({ limit: 2, window: '1s' }));
    await fixture.peek(check, { id: 'a', holdMs: 1000 });
    const { verdicts } = await fixture.consume(check, { id: 'a', holdMs: 1000 });
    assert.equal(verdicts[0]?.remaining, 1);
  },
};
