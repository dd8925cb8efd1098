import { type CalendarWindow, fixedWindow, type LimitCheck, slidingWindow } from '@sluice/core';
import type { CalendarBounds } from '@sluice/core/values';
import * as assert from '../assert.js';
import { calendarBoundsAround } from './calendar-bounds.js';
import { onlyVerdict, type Rules, type StoreFixture } from './store-fixture.js';

const LIMIT = slidingWindow({ limit: 5, window: '1m' });
const UTC_DAY: CalendarWindow = { unit: 'day', timeZone: 'UTC' };
const DAY_MS = 86_400_000;

function daily(fixture: StoreFixture, callerMs: number): LimitCheck {
  const calendarBoundsMs: CalendarBounds = calendarBoundsAround(UTC_DAY, callerMs);
  return fixture.check(fixedWindow({ limit: 2, window: UTC_DAY }), { name: 'daily', calendarBoundsMs });
}

/** Deadlines and calendars. */
export const timeRules: Rules = {
  async 'decides until the deadline of the ask, and fails after it with its own time'(fixture) {
    const check = fixture.check(LIMIT);
    const nowMs = fixture.clock.now();
    const late = await fixture.refusesWith('SLUICE_STORE', () =>
      fixture.store.consume({ checks: [check], notAfterMs: nowMs - 1 }),
    );
    assert.equal(late.atMs, nowMs, 'the error of a late ask has the time of the store');
    assert.equal(await fixture.remaining(check), 5, 'nothing was charged');
    assert.equal((await fixture.consume(check, { notAfterMs: nowMs })).allowed, true);
    assert.equal((await fixture.consume(check, { notAfterMs: nowMs + 1 })).allowed, true);
  },

  async 'makes a change until its deadline, and not after it'(fixture) {
    const check = fixture.check(LIMIT);
    const nowMs = fixture.clock.now();
    await fixture.consume({ ...check, cost: 3 });
    const refund = { ...check, cost: -1 };
    assert.equal(await fixture.adjust(refund, { notAfterMs: nowMs - 1, id: 'a' }), 'expired');
    assert.equal(await fixture.remaining(check), 2, 'nothing was changed');
    assert.equal(await fixture.adjust(refund, { notAfterMs: nowMs, id: 'a' }), 'applied');
    assert.equal(await fixture.adjust(refund, { notAfterMs: nowMs + 1 }), 'applied');
    assert.equal(await fixture.remaining(check), 4);
  },

  async 'charges nothing if its time is outside the boundaries of a calendar, and charges when asked again with the right ones'(
    fixture,
  ) {
    const nowMs = fixture.clock.now();
    const other = fixture.check(LIMIT);
    for (const callerMs of [nowMs - 3 * DAY_MS, nowMs + 2 * DAY_MS]) {
      const outside = await fixture.consume([other, daily(fixture, callerMs)], { id: 'a', holdMs: 1000 });
      assert.equal(outside.outsideCalendarBounds, true);
      assert.equal(outside.atMs, nowMs);
    }
    const again = await fixture.consume([other, daily(fixture, nowMs)], { id: 'a', holdMs: 1000 });
    assert.equal(again.outsideCalendarBounds, undefined);
    assert.deepEqual(
      again.verdicts.map(({ remaining }) => remaining),
      [4, 1],
    );
  },

  async 'changes nothing if its time is outside the boundaries of a calendar, and does when asked again'(fixture) {
    const nowMs = fixture.clock.now();
    const other = fixture.check(LIMIT);
    await fixture.consume([other, daily(fixture, nowMs)]);
    const refunds = (callerMs: number) => [other, daily(fixture, callerMs)].map((check) => ({ ...check, cost: -1 }));
    assert.equal(await fixture.adjust(refunds(nowMs + 3 * DAY_MS), { id: 'a' }), 'outside-calendar-bounds');
    assert.equal(await fixture.remaining(other), 4);
    assert.equal(await fixture.adjust(refunds(nowMs), { id: 'a' }), 'applied');
    assert.equal(await fixture.remaining(other), 5);
    assert.equal(await fixture.remaining(daily(fixture, nowMs)), 2);
  },

  async 'says when it answered'(fixture) {
    const { atMs } = await fixture.consume(fixture.check(LIMIT));
    assert.equal(atMs, fixture.clock.now());
    fixture.clock.advance('1h');
    assert.equal((await fixture.peek(fixture.check(LIMIT))).atMs, fixture.clock.now());
    assert.equal(onlyVerdict(await fixture.peek(fixture.check(LIMIT))).remaining, 5);
  },
};
