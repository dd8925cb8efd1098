import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { ALGORITHMS } from '../../algorithms/definitions.js';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { Change, Check } from '../../stores/store.js';
import type { Verdict } from '../../values/decision.js';
import { exactly, onlyVerdict, type Rules, withSlots } from './bench.js';

const LIMIT = slidingWindow({ limit: 5, window: '1m' });

/** Questions and corrections with an id, which count once. */
export const onceRules: Rules = {
  async 'gives the first answer to a repeated id, and charges nothing for it'(bench) {
    const check = bench.check(LIMIT);
    const first = await bench.consume(check, { id: 'a', holdMs: 1000 });
    await bench.consume(check);
    bench.clock.advance(999);
    assert.deepEqual(await bench.consume(check, { id: 'a', holdMs: 1000 }), first);
    assert.equal(await bench.remaining(check), 3);
  },

  async 'asks anew when the time for which the answer is held is over'(bench) {
    const check = bench.check(LIMIT);
    await bench.consume(check, { id: 'a', holdMs: 1000 });
    bench.clock.advance(1000);
    assert.equal(onlyVerdict(await bench.consume(check, { id: 'a', holdMs: 1000 })).remaining, 3);
  },

  async 'repeats a refusal, too, even when there is room again'(bench) {
    const check = bench.check(fixedWindow({ limit: 1, window: '1s' }));
    await bench.consume(check);
    const refused = await bench.consume(check, { id: 'a', holdMs: 60_000 });
    assert.equal(refused.allowed, false);
    bench.clock.advance(5000);
    assert.deepEqual(await bench.consume(check, { id: 'a', holdMs: 60_000 }), refused);
    assert.equal((await bench.consume(check, { id: 'b', holdMs: 60_000 })).allowed, true);
  },

  async 'remembers how much was taken'(bench) {
    const check = bench.check(LIMIT, { cost: 9 });
    const first = await bench.consume(check, { id: 'a', holdMs: 1000, atLeast: 1 });
    assert.equal(first.taken, 5);
    assert.deepEqual(await bench.consume(check, { id: 'a', holdMs: 1000, atLeast: 1 }), first);
  },

  async 'charges every time when no time to hold the answer is named'(bench) {
    const check = bench.check(LIMIT);
    await bench.consume(check, { id: 'a' });
    await bench.consume(check, { id: 'a', holdMs: 0 });
    assert.equal(onlyVerdict(await bench.consume(check, { id: 'a', holdMs: 0 })).remaining, 2);
  },

  async 'charges every time when a question that is to be held has no id'(bench) {
    const check = bench.check(LIMIT);
    await bench.consume(check, { holdMs: 1000 });
    await bench.consume(check, { holdMs: 1000 });
    assert.equal(onlyVerdict(await bench.consume(check)).remaining, 2);
  },

  'renews a slot by its id while the answer that gave the slot is still held': withSlots(async (bench) => {
    const check = bench.check(concurrency({ limit: 1, lease: '9s' }));
    await bench.consume(check, { id: 'a', holdMs: 60_000 });
    bench.clock.advance(6000);
    assert.equal(onlyVerdict(await bench.consume(check, { id: 'a', renew: true })).resetAfterMs, 9000);
    bench.clock.advance(8999);
    assert.equal(await bench.remaining(check), 0);
  }),

  async 'makes a correction with an id once, and one without as often as it is asked'(bench) {
    const check = bench.check(LIMIT, { cost: 5 });
    const { atMs } = await bench.consume(check);
    const refund = { ...check, cost: -1 };
    assert.equal(await bench.adjust(refund, { atMs, id: 'a' }), 'applied');
    assert.equal(await bench.adjust(refund, { atMs, id: 'a' }), 'repeated');
    assert.equal(await bench.remaining(check), 1);
    assert.equal(await bench.adjust(refund, { atMs, id: 'b' }), 'applied');
    assert.equal(await bench.adjust(refund, { atMs }), 'applied');
    assert.equal(await bench.adjust(refund, { atMs }), 'applied');
    assert.equal(await bench.remaining(check), 4);
  },

  async 'gives everything back once, and leaves alone what others spent after that'(bench) {
    const check = bench.check(fixedWindow({ limit: 1, window: '1s' }));
    const { atMs } = await bench.consume(check);
    const refund = { ...check, cost: -1 };
    assert.equal(await bench.adjust(refund, { atMs, id: 'a' }), 'applied');
    assert.equal((await bench.consume(check)).allowed, true);
    assert.equal(await bench.adjust(refund, { atMs, id: 'a' }), 'repeated');
    assert.equal(await bench.remaining(check), 0);
  },

  'remembers a correction for as long as the charge counts': exactly(async (bench) => {
    const check = bench.check(slidingWindow({ limit: 5, window: '2h' }), { cost: 2 });
    const { atMs } = await bench.consume(check);
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { atMs, id: 'a' }), 'applied');
    bench.clock.advance(7_199_999);
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { atMs, id: 'a' }), 'repeated');
    assert.equal(await bench.remaining(check), 4);
    bench.clock.advance(1);
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { atMs, id: 'b' }), 'expired');
  }),

  'says that nothing of a charge counts any more, or that there was none': exactly(async (bench) => {
    const check = bench.check(LIMIT);
    assert.equal(await bench.adjust({ ...check, cost: -1 }), 'expired');
    const { atMs } = await bench.consume(check);
    bench.clock.advance(60_000);
    assert.equal(await bench.adjust({ ...check, cost: -1 }, { atMs }), 'expired');
    assert.equal(await bench.remaining(check), 5);
  }),

  'gives each check back at its own time, where it has one': exactly(async (bench) => {
    const [early, late] = ['early', 'late'].map((name) => bench.check(LIMIT, { name })) as [Check, Check];
    const first = await bench.consume(early);
    bench.clock.advance(20_000);
    const second = await bench.consume(late);
    await bench.consume([early, late], { id: 'others' });
    bench.clock.advance(39_999);
    const changes = [
      { ...early, cost: -1, atMs: first.atMs },
      { ...late, cost: -1 },
    ];
    assert.equal(await bench.adjust(changes, { atMs: second.atMs, id: 'a' }), 'applied');
    assert.equal(await bench.remaining(early), 4);
    assert.equal(await bench.remaining(late), 4);
    // What is left of the two is what was charged later: the charge of each other's time would have been another.
    bench.clock.advance(20_000);
    assert.equal(await bench.remaining(early), 4);
  }),

  async 'gives back what was charged of several subjects, each at the time that the reply tells'(bench) {
    const checks = ['ann', 'bob', 'cid'].map((key) => bench.check(LIMIT, { key, cost: 5 }));
    const { atMs, timesMs } = await bench.consume(checks);
    bench.clock.advance(30_000);
    const changes = checks.map((check, i) => {
      const timeMs = timesMs?.[i];
      return { ...check, cost: -5, ...(timeMs !== undefined && { atMs: timeMs }) };
    });
    assert.equal(await bench.adjust(changes, { atMs, id: 'a' }), 'applied');
    for (const check of checks) assert.equal(await bench.remaining(check), 5);
  },

  'says how things stand after a correction, also after one that is repeated or comes too late': exactly(
    async (bench) => {
      const check = bench.check(LIMIT, { cost: 4 });
      const { atMs } = await bench.consume(check);
      const answerTo = async (change: Omit<Change, 'checks'>) => {
        const { result, verdicts } = await bench.store.adjust({ checks: [{ ...check, cost: -3 }], ...change });
        const [{ cost, allowed, remaining, retryAfterMs }] = verdicts as [Verdict];
        return [result, cost, allowed, remaining, retryAfterMs];
      };
      assert.deepEqual(await answerTo({ atMs, id: 'a' }), ['applied', 1, true, 4, 0]);
      assert.deepEqual(await answerTo({ atMs, id: 'a' }), ['repeated', 1, true, 4, 0]);
      await bench.consume(check);
      assert.deepEqual(await answerTo({ atMs, id: 'a' }), ['repeated', 1, false, 0, 60_000]);
      assert.deepEqual(await answerTo({ notAfterMs: atMs - 1 }), ['expired', 1, false, 0, 60_000]);
      assert.deepEqual(await answerTo({ atMs: atMs - 60_000 }), ['expired', 1, false, 0, 60_000]);
    },
  ),

  'says after a correction of every algorithm whether one unit would fit': exactly(async (bench) => {
    for (const [name, limit] of bench.limits) {
      const check = bench.check(limit, { name });
      for (const id of ['a', 'b', 'c', 'd']) await bench.consume(check, { id: `${name} ${id}` });
      // Slots are freed by their ids, and a queue gives no place back.
      const isFreed = ALGORITHMS[limit.algorithm]?.canRefund === true;
      const { verdicts } = await bench.store.adjust({ checks: [{ ...check, cost: -1 }], id: `${name} d` });
      assert.deepEqual([verdicts[0]?.allowed, verdicts[0]?.remaining], [isFreed, isFreed ? 1 : 0], name);
    }
  }),

  async 'corrects up and down in one change, each check for itself'(bench) {
    const gone = bench.check(fixedWindow({ limit: 5, window: '1s' }), { name: 'gone' });
    const there = bench.check(LIMIT, { name: 'there', cost: 3 });
    const { atMs } = await bench.consume([gone, there]);
    bench.clock.advance(1000);
    const refunds = [gone, there].map((check) => ({ ...check, cost: -1 }));
    assert.equal(await bench.adjust(refunds, { atMs }), 'applied');
    assert.equal(await bench.remaining(there), 3);
    assert.equal(await bench.adjust({ ...there, cost: 2 }, { atMs }), 'applied');
    assert.equal(await bench.remaining(there), 1);
  },
};
