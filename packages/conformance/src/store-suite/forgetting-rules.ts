import type { Limit, LimitCheck } from '@sluice/core';
import * as assert from '../assert.js';
import { EVERY_LIMIT } from './every-limit.js';
import { atOnce, exactly, figuresOf, onlyVerdict, type Rules, type StoreFixture } from './store-fixture.js';

/** Uses a key up and goes on, so that it is refused, blocked and counted. */
async function exhaust(fixture: StoreFixture, check: LimitCheck): Promise<void> {
  for (const id of ['a', 'b', 'c', 'd', 'e']) await fixture.consume(check, { id });
}

const peek = async (fixture: StoreFixture, check: LimitCheck) => figuresOf(onlyVerdict(await fixture.peek(check)));

/** Keys that are fresh again. */
export const forgettingRules: Rules = {
  'treats a key as fresh when the time to reset is over, and not a millisecond earlier': exactly(async (fixture) => {
    for (const [name, limit] of fixture.limits) {
      const check = fixture.check(limit, { name });
      const fresh = (key: string) => fixture.check(limit, { name, key });
      await exhaust(fixture, check);
      const { resetAfterMs } = onlyVerdict(await fixture.peek(check));
      fixture.clock.advance((resetAfterMs as number) - 1);
      assert.notDeepEqual(await peek(fixture, check), await peek(fixture, fresh('b')), name);
      fixture.clock.advance(1);
      assert.deepEqual(await peek(fixture, check), await peek(fixture, fresh('b')), name);
      const [old, first] = [await fixture.consume(check, { id: 'x' }), await fixture.consume(fresh('c'), { id: 'y' })];
      assert.deepEqual(figuresOf(onlyVerdict(old)), figuresOf(onlyVerdict(first)), name);
    }
  }),

  'admits again exactly after the announced wait, and not a millisecond earlier': exactly(async (fixture) => {
    for (const [name, limit] of fixture.limits) {
      const check = fixture.check(limit, { name });
      await exhaust(fixture, check);
      const { retryAfterMs } = onlyVerdict(await fixture.peek(check));
      fixture.clock.advance((retryAfterMs as number) - 1);
      assert.equal((await fixture.peek(check)).allowed, false, name);
      fixture.clock.advance(1);
      assert.equal((await fixture.consume(check, { id: 'f' })).allowed, true, name);
    }
  }),

  async 'removes a key on reset under every algorithm, with blocks and slots'(fixture) {
    for (const [, limit] of fixture.limits) await exhaust(fixture, fixture.check(limit));
    const algorithms = new Set(fixture.limits.map(([, { algorithm }]) => algorithm));
    const forgotten = await fixture.reset(fixture.check(EVERY_LIMIT['sliding window'] as Limit));
    assert.equal(forgotten, algorithms.size, 'one state of each algorithm');
    await atOnce(fixture.limits, async ([name, limit]) => {
      assert.deepEqual(
        await peek(fixture, fixture.check(limit)),
        await peek(fixture, fixture.check(limit, { key: 'new' })),
        name,
      );
    });
  },

  async 'removes only the given targets on reset'(fixture) {
    const limit = EVERY_LIMIT['sliding window'] as Limit;
    const checks = [{}, { key: 'bob' }, { name: 'other' }, { policy: 'other' }].map((own) => fixture.check(limit, own));
    for (const check of checks) await fixture.consume(check);
    await fixture.reset(checks[0] as LimitCheck);
    const left = async () => Promise.all(checks.map((check) => fixture.remaining(check)));
    assert.deepEqual(await left(), [4, 3, 3, 3]);
    await fixture.reset(checks[1] as LimitCheck, checks[3] as LimitCheck);
    assert.deepEqual(await left(), [4, 4, 3, 4]);
  },

  async 'returns how many states it removed, and 0 for an unknown key'(fixture) {
    const check = fixture.check(EVERY_LIMIT['fixed window'] as Limit);
    const others = ['bob', 'cid', 'dot'].map((key) => fixture.check(check.limit, { key }));
    assert.equal(await fixture.reset(check), 0);
    assert.equal(await fixture.reset(), 0);
    for (const known of [check, ...others.slice(0, 2)]) await fixture.consume(known);
    assert.equal(await fixture.reset(check, ...others), 3);
    assert.equal(await fixture.reset(check, ...others), 0);
  },

  async 'does not include keys that were only peeked at or refused in that number'(fixture) {
    const check = fixture.check(EVERY_LIMIT['fixed window'] as Limit, { cost: 5 });
    await fixture.peek(check);
    assert.equal((await fixture.consume(check)).allowed, false);
    assert.equal(await fixture.reset(check), 0);
  },
};
