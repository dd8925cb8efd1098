import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import { fixedWindow } from '@sluice/core';
import { intervalAt } from '../../src/values/calendar.js';
import { inWorld } from '../properties/world.js';

describe('the interval at a time', () => {
  const bounds = [0, 10, 20, 30] as const;

  it.each([
    [-1, undefined],
    [0, { startMs: 0, endMs: 10 }],
    [9, { startMs: 0, endMs: 10 }],
    [10, { startMs: 10, endMs: 20 }],
    [29, { startMs: 20, endMs: 30 }],
    [30, undefined],
  ])('at %d is %j', (timeMs, interval) => {
    expect(intervalAt(bounds, timeMs)).toEqual(interval);
  });
});

describe('a calendar limit', () => {
  it('counts a day with two midnights as one', () =>
    inWorld((world) => {
      const limit = fixedWindow({ limit: 2, window: { unit: 'day', timeZone: 'Atlantic/Azores' } });
      world.clock.set(Date.parse('2026-10-25T00:30Z'));
      expect(world.consume(limit, 2).allowed).toBe(true);
      world.clock.set(Date.parse('2026-10-25T01:30Z'));
      expect(world.consume(limit)).toMatchObject({ allowed: false, retryAfterMs: 84_600_000 });
      world.clock.set(Date.parse('2026-10-26T01:00Z'));
      expect(world.consume(limit).allowed).toBe(true);
    }));

  it('charges nothing outside its boundaries, and reports it', () =>
    inWorld((world) => {
      const check = world.check(fixedWindow({ limit: 2, window: { unit: 'day', timeZone: 'UTC' } }));
      world.clock.advance('2d');
      const reply = world.ask([check]);
      expect(reply).toMatchObject({
        allowed: false,
        outsideCalendarBounds: true,
        verdicts: [],
        atMs: world.clock.now(),
      });
      expect(world.store.adjust({ checks: [check] })).toMatchObject({
        result: 'outside-calendar-bounds',
        verdicts: [],
      });
      expect(world.store.size).toBe(0);
    }));
});
