import assert from 'node:assert/strict';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { Check } from '../../stores/store.js';
import { type Edges, edgesAround } from '../../values/calendar.js';
import type { CalendarWindow } from '../../values/limit.js';
import { type Bench, onlyVerdict, type Rules } from './bench.js';

const LIMIT = slidingWindow({ limit: 5, window: '1m' });
const UTC_DAY: CalendarWindow = { unit: 'day', timeZone: 'UTC' };
const DAY_MS = 86_400_000;

function daily(bench: Bench, callerMs: number): Check {
  const edgesMs: Edges = edgesAround(UTC_DAY, callerMs);
  return bench.check(fixedWindow({ limit: 2, window: UTC_DAY }), { name: 'daily', edgesMs });
}

/** Deadlines and calendars. */
export const timeRules: Rules = {
  async 'answers until the time after which nothing may be charged, and fails after it with its own time'(bench) {
    const check = bench.check(LIMIT);
    const nowMs = bench.clock.now();
    const late = await bench.refusesWith('SLUICE_STORE', () =>
      bench.store.consume({ checks: [check], notAfterMs: nowMs - 1 }),
    );
    assert.equal(late.atMs, nowMs, 'who was too late learns the store’s time');
    assert.equal(await bench.remaining(check), 5, 'nothing was charged');
    assert.equal((await bench.consume(check, { notAfterMs: nowMs })).allowed, true);
    assert.equal((await bench.consume(check, { notAfterMs: nowMs + 1 })).allowed, true);
  },

  async 'corrects until the time after which nothing may be changed, and not after it'(bench) {
    const check = bench.check(LIMIT);
    const nowMs = bench.clock.now();
    await bench.consume({ ...check, cost: 3 });
    const refund = { ...check, cost: -1 };
    assert.equal(await bench.adjust(refund, { notAfterMs: nowMs - 1, id: 'a' }), 'expired');
    assert.equal(await bench.remaining(check), 2, 'nothing was changed');
    assert.equal(await bench.adjust(refund, { notAfterMs: nowMs, id: 'a' }), 'applied');
    assert.equal(await bench.adjust(refund, { notAfterMs: nowMs + 1 }), 'applied');
    assert.equal(await bench.remaining(check), 4);
  },

  async 'charges nothing when a calendar’s edges do not hold its time, and does when asked again with edges that do'(
    bench,
  ) {
    const nowMs = bench.clock.now();
    const other = bench.check(LIMIT);
    for (const callerMs of [nowMs - 3 * DAY_MS, nowMs + 2 * DAY_MS]) {
      const outside = await bench.consume([other, daily(bench, callerMs)], { id: 'a', holdMs: 1000 });
      assert.equal(outside.outsideEdges, true);
      assert.equal(outside.atMs, nowMs);
    }
    const again = await bench.consume([other, daily(bench, nowMs)], { id: 'a', holdMs: 1000 });
    assert.equal(again.outsideEdges, undefined);
    assert.deepEqual(
      again.verdicts.map(({ remaining }) => remaining),
      [4, 1],
    );
  },

  async 'corrects nothing when a calendar’s edges do not hold its time, and does when asked again'(bench) {
    const nowMs = bench.clock.now();
    const other = bench.check(LIMIT);
    await bench.consume([other, daily(bench, nowMs)]);
    const refunds = (callerMs: number) => [other, daily(bench, callerMs)].map((check) => ({ ...check, cost: -1 }));
    assert.equal(await bench.adjust(refunds(nowMs + 3 * DAY_MS), { id: 'a' }), 'outside-edges');
    assert.equal(await bench.remaining(other), 4);
    assert.equal(await bench.adjust(refunds(nowMs), { id: 'a' }), 'applied');
    assert.equal(await bench.remaining(other), 5);
    assert.equal(await bench.remaining(daily(bench, nowMs)), 2);
  },

  async 'says when it answered'(bench) {
    const { atMs } = await bench.consume(bench.check(LIMIT));
    assert.equal(atMs, bench.clock.now());
    bench.clock.advance('1h');
    assert.equal((await bench.peek(bench.check(LIMIT))).atMs, bench.clock.now());
    assert.equal(onlyVerdict(await bench.peek(bench.check(LIMIT))).remaining, 5);
  },
};
