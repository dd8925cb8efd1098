import {
  type Change,
  concurrency,
  fixedWindow,
  type LimitCheck,
  slidingWindow,
  tokenBucket,
  type Verdict,
} from '@sluice/core';
import { takesBack } from '@sluice/core/store';
import * as assert from '../assert.js';
import { atOnce, exactly, onlyVerdict, type Rules, withSlots } from './store-fixture.js';

const LIMIT = slidingWindow({ limit: 5, window: '1m' });

/** Asks and changes with an id, which count once. */
export const onceRules: Rules = {
  async 'returns the first reply for a repeated id, and charges nothing'(fixture) {
    const check = fixture.check(LIMIT);
    const first = await fixture.consume(check, { id: 'a', holdMs: 1000 });
    await fixture.consume(check);
    fixture.clock.advance(999);
    assert.deepEqual(await fixture.consume(check, { id: 'a', holdMs: 1000 }), fixture.repeated(first));
    assert.equal(await fixture.remaining(check), 3);
  },

  async 'decides again when the reply is not held any more'(fixture) {
    const check = fixture.check(LIMIT);
    await fixture.consume(check, { id: 'a', holdMs: 1000 });
    fixture.clock.advance(1000);
    assert.equal(onlyVerdict(await fixture.consume(check, { id: 'a', holdMs: 1000 })).remaining, 3);
  },

  async 'also repeats a refusal, even if there is room again'(fixture) {
    const check = fixture.check(fixedWindow({ limit: 1, window: '1s' }));
    await fixture.consume(check);
    const refused = await fixture.consume(check, { id: 'a', holdMs: 60_000 });
    assert.equal(refused.allowed, false);
    fixture.clock.advance(5000);
    assert.deepEqual(await fixture.consume(check, { id: 'a', holdMs: 60_000 }), fixture.repeated(refused));
    assert.equal((await fixture.consume(check, { id: 'b', holdMs: 60_000 })).allowed, true);
  },

  async 'also repeats which limits were not enforced'(fixture) {
    const small = fixture.check(LIMIT, { name: 'small', cost: 6 });
    const large = fixture.check(LIMIT, { name: 'large', cost: 2 });
    const repeat = (id: string, own: LimitCheck) => fixture.store.consume({ checks: [own, large], id, holdMs: 60_000 });
    const shadow = { ...small, shadow: true } as const;
    for (const [id, first, later, left] of [
      ['a', small, shadow, 5],
      ['b', shadow, small, 3],
    ] as const) {
      const { allowed, verdicts } = await repeat(id, first);
      assert.equal(allowed, first === shadow);
      const again = await repeat(id, later);
      assert.equal(again.allowed, allowed);
      assert.deepEqual(again.verdicts, verdicts);
      assert.equal(await fixture.remaining(large), left);
    }
  },

  async 'remembers how many units were taken'(fixture) {
    const check = fixture.check(LIMIT, { cost: 9 });
    const first = await fixture.consume(check, { id: 'a', holdMs: 1000, atLeast: 1 });
    assert.equal(first.taken, 5);
    assert.deepEqual(await fixture.consume(check, { id: 'a', holdMs: 1000, atLeast: 1 }), fixture.repeated(first));
  },

  async 'charges every time without a time to hold the reply'(fixture) {
    const check = fixture.check(LIMIT);
    await fixture.consume(check, { id: 'a' });
    await fixture.consume(check, { id: 'a', holdMs: 0 });
    assert.equal(onlyVerdict(await fixture.consume(check, { id: 'a', holdMs: 0 })).remaining, 2);
  },

  async 'charges every time without an id'(fixture) {
    const check = fixture.check(LIMIT);
    await fixture.consume(check, { holdMs: 1000 });
    await fixture.consume(check, { holdMs: 1000 });
    assert.equal(onlyVerdict(await fixture.consume(check)).remaining, 2);
  },

  'renews a slot by its id while the reply that granted it is still held': withSlots(async (fixture) => {
    const check = fixture.check(concurrency({ limit: 1, lease: '9s' }));
    await fixture.consume(check, { id: 'a', holdMs: 60_000 });
    fixture.clock.advance(6000);
    assert.equal(onlyVerdict(await fixture.consume(check, { id: 'a', renew: true })).resetAfterMs, 9000);
    fixture.clock.advance(8999);
    assert.equal(await fixture.remaining(check), 0);
  }),

  async 'makes a change with an id once, and a change without an id every time'(fixture) {
    const check = fixture.check(LIMIT, { cost: 5 });
    const { atMs } = await fixture.consume(check);
    const refund = { ...check, cost: -1 };
    assert.equal(await fixture.adjust(refund, { atMs, id: 'a' }), 'applied');
    assert.equal(await fixture.adjust(refund, { atMs, id: 'a' }), 'repeated');
    assert.equal(await fixture.remaining(check), 1);
    assert.equal(await fixture.adjust(refund, { atMs, id: 'b' }), 'applied');
    assert.equal(await fixture.adjust(refund, { atMs }), 'applied');
    assert.equal(await fixture.adjust(refund, { atMs }), 'applied');
    assert.equal(await fixture.remaining(check), 4);
  },

  async 'remembers a change as long as it says, even if the charge does not count any more'(fixture) {
    const check = fixture.check(fixedWindow({ limit: 5, window: '1s' }), { cost: 2 });
    const { atMs } = await fixture.consume(check);
    fixture.clock.advance(2000);
    const late = { ...check, cost: 1 };
    const keptUntilMs = atMs + 62_000;
    assert.equal(await fixture.adjust(late, { atMs, id: 'a', keptUntilMs }), 'applied');
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { atMs, id: 'b', keptUntilMs }), 'expired');
    fixture.clock.advance(60_000);
    for (const id of ['a', 'b']) assert.equal(await fixture.adjust(late, { atMs, id, keptUntilMs }), 'repeated');
    fixture.clock.advance(1);
    assert.equal(await fixture.adjust(late, { atMs, id: 'a', keptUntilMs }), 'applied');
    assert.equal(await fixture.remaining(check), 4);
  },

  async 'remembers a change of nothing as long as it says'(fixture) {
    const check = fixture.check(LIMIT);
    const { atMs } = await fixture.consume(check);
    const once = { atMs, id: 'a', keptUntilMs: atMs + 1000 };
    await fixture.adjust({ ...check, cost: 0 }, once);
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, once), 'repeated');
    assert.equal(await fixture.remaining(check), 4);
  },

  'makes a change once until it is too late for it': exactly(async (fixture) => {
    const check = fixture.check(tokenBucket({ capacity: 10, refillRate: 10 }), { cost: 5 });
    const { atMs } = await fixture.consume(check);
    const untilMs = atMs + 120_000;
    const once = { atMs, id: 'a', keptUntilMs: untilMs, notAfterMs: untilMs };
    assert.equal(await fixture.adjust({ ...check, cost: -5 }, once), 'applied');
    for (const ms of [30_000, 90_000]) {
      fixture.clock.advance(ms);
      await fixture.consume(check);
      assert.equal(await fixture.adjust({ ...check, cost: -5 }, once), 'repeated', `after ${ms} ms`);
    }
    fixture.clock.advance(1);
    assert.equal(await fixture.adjust({ ...check, cost: -5 }, once), 'expired');
    assert.equal(await fixture.remaining(check), 5);
  }),

  async 'says of a charge that has ended by itself that it was given back'(fixture) {
    const check = fixture.check(LIMIT, { cost: 3 });
    const { atMs } = await fixture.consume(check);
    const once = { atMs, id: 'a', keptUntilMs: atMs + 1000 };
    assert.equal(await fixture.adjust({ ...check, cost: -3 }, { ...once, givesBack: true }), 'applied');
    for (const own of [once, { ...once, givesBack: true } as const])
      assert.equal(await fixture.adjust({ ...check, cost: -3 }, own), 'given-back');
    assert.equal(await fixture.remaining(check), 5);
  },

  async 'tells the time of now beside that of the decision, if a reply is repeated'(fixture) {
    const check = fixture.check(LIMIT);
    const { atMs } = await fixture.consume(check, { id: 'a', holdMs: 60_000 });
    fixture.clock.advance(5000);
    const again = await fixture.consume(check, { id: 'a', holdMs: 60_000 });
    assert.deepEqual([again.atMs, again.nowMs], [atMs, atMs + 5000]);
    assert.equal((await fixture.consume(check, { id: 'b', holdMs: 60_000 })).nowMs, undefined);
  },

  async 'names in each reply the attempt that was decided'(fixture) {
    const check = fixture.check(LIMIT);
    for (const attempt of ['first', 'second']) {
      assert.equal((await fixture.consume(check, { id: 'a', holdMs: 60_000, attempt })).attempt, 'first');
    }
    assert.equal(await fixture.remaining(check), 4);
    const only = { id: 'a', holdMs: 60_000, onlyAttempt: true } as const;
    assert.equal((await fixture.consume(check, { ...only, attempt: 'first' })).attempt, 'first');
    assert.equal(await fixture.remaining(check), 4);
    assert.equal((await fixture.consume(check, { ...only, attempt: 'third' })).attempt, 'third');
    assert.equal(await fixture.remaining(check), 3);
  },

  async 'repeats a refusal also where another attempt was asked for'(fixture) {
    const check = fixture.check(LIMIT, { cost: 6 });
    const ask = (attempt: string) => fixture.consume(check, { id: 'a', holdMs: 60_000, attempt, onlyAttempt: true });
    const { allowed, atMs } = await ask('first');
    assert.equal(allowed, false);
    const again = await ask('second');
    assert.deepEqual([again.allowed, again.atMs, again.attempt], [false, atMs, 'first']);
    assert.notEqual(again.nowMs, undefined);
  },

  'decides a repeated request anew when the slot of the first one was freed': withSlots(async (fixture) => {
    const check = fixture.check(concurrency({ limit: 1, lease: '9s' }));
    const ask = (attempt: string) => fixture.consume(check, { id: 'm1', holdMs: 60_000, attempt });
    const free = (id: string) => fixture.adjust({ ...check, cost: -1 }, { id });
    assert.equal((await ask('first')).allowed, true);
    assert.equal((await ask('second')).attempt, 'first');
    assert.equal(await free('first'), 'applied');
    assert.equal((await fixture.consume(check, { id: 'another' })).allowed, true);
    const refused = await ask('third');
    assert.deepEqual([refused.allowed, refused.attempt], [false, 'third']);
    assert.equal(await free('another'), 'applied');
    assert.equal((await ask('fourth')).allowed, false, 'a refusal is repeated');
    fixture.clock.advance(60_000);
    assert.deepEqual([(await ask('fifth')).allowed, (await ask('sixth')).attempt], [true, 'fifth']);
    assert.notEqual(await free('first'), 'applied', 'the first attempt holds nothing any more');
    assert.equal(await fixture.remaining(check), 0);
    fixture.clock.advance(9000);
    assert.deepEqual([(await ask('seventh')).allowed, (await ask('eighth')).attempt], [true, 'seventh']);
  }),

  async 'gives everything back once, and keeps later charges'(fixture) {
    const check = fixture.check(fixedWindow({ limit: 1, window: '1s' }));
    const { atMs } = await fixture.consume(check);
    const refund = { ...check, cost: -1 };
    assert.equal(await fixture.adjust(refund, { atMs, id: 'a' }), 'applied');
    assert.equal((await fixture.consume(check)).allowed, true);
    assert.equal(await fixture.adjust(refund, { atMs, id: 'a' }), 'repeated');
    assert.equal(await fixture.remaining(check), 0);
  },

  'remembers a change as long as the charge counts': exactly(async (fixture) => {
    const check = fixture.check(slidingWindow({ limit: 5, window: '2h' }), { cost: 2 });
    const { atMs } = await fixture.consume(check);
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { atMs, id: 'a' }), 'applied');
    fixture.clock.advance(7_199_999);
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { atMs, id: 'a' }), 'repeated');
    assert.equal(await fixture.remaining(check), 4);
    fixture.clock.advance(1);
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { atMs, id: 'b' }), 'expired');
  }),

  'reports a charge that does not count any more, or never existed': exactly(async (fixture) => {
    const check = fixture.check(LIMIT);
    assert.equal(await fixture.adjust({ ...check, cost: -1 }), 'expired');
    const { atMs } = await fixture.consume(check);
    fixture.clock.advance(60_000);
    assert.equal(await fixture.adjust({ ...check, cost: -1 }, { atMs }), 'expired');
    assert.equal(await fixture.remaining(check), 5);
  }),

  'gives each check back at its own time, if it has one': exactly(async (fixture) => {
    const [early, late] = ['early', 'late'].map((name) => fixture.check(LIMIT, { name })) as [LimitCheck, LimitCheck];
    const first = await fixture.consume(early);
    fixture.clock.advance(20_000);
    const second = await fixture.consume(late);
    await fixture.consume([early, late], { id: 'others' });
    fixture.clock.advance(39_999);
    const changes = [
      { ...early, cost: -1, atMs: first.atMs },
      { ...late, cost: -1 },
    ];
    assert.equal(await fixture.adjust(changes, { atMs: second.atMs, id: 'a' }), 'applied');
    assert.equal(await fixture.remaining(early), 4);
    assert.equal(await fixture.remaining(late), 4);
    // The later charge must remain. If the charges were given back at each other's time, another one would remain.
    fixture.clock.advance(20_000);
    assert.equal(await fixture.remaining(early), 4);
  }),

  async 'gives back the charges of several subjects, each at the time in the reply'(fixture) {
    const checks = ['ann', 'bob', 'cid'].map((key) => fixture.check(LIMIT, { key, cost: 5 }));
    const { atMs, timesMs } = await fixture.consume(checks);
    fixture.clock.advance(30_000);
    const changes = checks.map((check, i) => {
      const timeMs = timesMs?.[i];
      return { ...check, cost: -5, ...(timeMs !== undefined && { atMs: timeMs }) };
    });
    assert.equal(await fixture.adjust(changes, { atMs, id: 'a' }), 'applied');
    for (const check of checks) assert.equal(await fixture.remaining(check), 5);
  },

  'returns the state after a change, also if it is repeated or too late': exactly(async (fixture) => {
    const check = fixture.check(LIMIT, { cost: 4 });
    const { atMs } = await fixture.consume(check);
    const answerTo = async (change: Omit<Change, 'checks'>) => {
      const { result, verdicts } = await fixture.store.adjust({ checks: [{ ...check, cost: -3 }], ...change });
      const [{ cost, allowed, remaining, retryAfterMs }] = verdicts as [Verdict];
      return [result, cost, allowed, remaining, retryAfterMs];
    };
    assert.deepEqual(await answerTo({ atMs, id: 'a' }), ['applied', 1, true, 4, 0]);
    assert.deepEqual(await answerTo({ atMs, id: 'a' }), ['repeated', 1, true, 4, 0]);
    await fixture.consume(check);
    assert.deepEqual(await answerTo({ atMs, id: 'a' }), ['repeated', 1, false, 0, 60_000]);
    assert.deepEqual(await answerTo({ notAfterMs: atMs - 1 }), ['expired', 1, false, 0, 60_000]);
    assert.deepEqual(await answerTo({ atMs: atMs - 60_000 }), ['expired', 1, false, 0, 60_000]);
  }),

  'reports after a change of every algorithm whether one unit would fit': exactly(async (fixture) => {
    await atOnce(fixture.limits, async ([name, limit]) => {
      const check = fixture.check(limit, { name });
      for (const id of ['a', 'b', 'c', 'd']) await fixture.consume(check, { id: `${name} ${id}` });
      // An id frees a slot, and a leaky bucket gives nothing back.
      const isFreed = takesBack(limit);
      const { verdicts } = await fixture.store.adjust({ checks: [{ ...check, cost: -1 }], id: `${name} d` });
      assert.deepEqual([verdicts[0]?.allowed, verdicts[0]?.remaining], [isFreed, isFreed ? 1 : 0], name);
    });
  }),

  async 'charges and gives back in one change, each check by itself'(fixture) {
    const gone = fixture.check(fixedWindow({ limit: 5, window: '1s' }), { name: 'gone' });
    const there = fixture.check(LIMIT, { name: 'there', cost: 3 });
    const { atMs } = await fixture.consume([gone, there]);
    fixture.clock.advance(1000);
    const refunds = [gone, there].map((check) => ({ ...check, cost: -1 }));
    assert.equal(await fixture.adjust(refunds, { atMs }), 'applied');
    assert.equal(await fixture.remaining(there), 3);
    assert.equal(await fixture.adjust({ ...there, cost: 2 }, { atMs }), 'applied');
    assert.equal(await fixture.remaining(there), 1);
  },
};
