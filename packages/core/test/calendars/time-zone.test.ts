import '@sluice/core/calendars';
import { expect, it } from '@jest/globals';
import { fixedWindow, type Limit } from '@sluice/core';

const daily = (timeZone: unknown): Limit =>
  fixedWindow({ limit: 1, window: { unit: 'day', timeZone: timeZone as string } });

const NAMES = 'UTC GMT Etc/UTC Etc/GMT-2 Etc/GMT+12 GMT+0 GMT-0 GMT0 EST5EDT Europe/Rome Asia/Kathmandu'.split(' ');

it.each(NAMES)('accepts %s as a time zone', (name) => {
  expect(daily(name).calendar?.timeZone).toBe(name);
});

it.each(['Europe/Atlantis', '', '2', 'Z', 'local', undefined, null, 2, {}])('refuses %j as a time zone', (wrong) => {
  const message = /^window\.timeZone must be an IANA time zone name like 'Europe\/Berlin', got .+ \(SLUICE_OPTION\)$/;
  expect(() => daily(wrong)).toThrow(message);
});

const AHEAD = ", or 'Etc/GMT-2', which is always 2 h ahead of UTC (its sign is reversed)";
const BEHIND = ", or 'Etc/GMT+11', which is always 11 h behind UTC (its sign is reversed)";

it.each([
  ...['+02', '+2', '+0200', '+02:00', '+02:00:00', 'UTC+2', 'utc+02:00', 'UTC +2', 'GMT+2', 'UT+2'].map(
    (offset) => [offset, AHEAD] as const,
  ),
  ...['-11', '-1100', '-11:00', 'UTC-11', 'GMT-11:00', '\u221211:00'].map((offset) => [offset, BEHIND] as const),
  ...['+00', '-00:00', 'UTC+0', 'GMT+00'].map((offset) => [offset, ", or 'UTC'"] as const),
  ...['-03:30', '+0545', 'UTC+5:30', '+15', '-13'].map((offset) => [offset, ''] as const),
])('refuses the offset %s as a time zone on every Node, with a suggestion', (offset, also) => {
  const region = "a region like 'Europe/Berlin', which follows its clock changes";
  const rule = `must be an IANA time zone name, not an offset: use ${region}${also}`;
  const received = JSON.stringify(offset);
  expect(() => daily(offset)).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTION',
      path: 'window.timeZone',
      message: `window.timeZone ${rule}, got ${received} (SLUICE_OPTION)`,
    }),
  );
});
