import { describe, expect, it } from '@jest/globals';
import { boundOf, createLimiter, fixedWindow, type Limit, slidingWindow } from '@sluice/core';
// What tests of applications import. It must not hide that the application has not imported calendars.
import '@sluice/core/testing';

/** A limit as another process sends it. */
const MONTHLY: Limit = {
  algorithm: 'fixed-window',
  quota: 5,
  windowMs: 31 * 86_400_000,
  calendar: { unit: 'month', timeZone: 'UTC' },
};

const RULE =
  'needs an import of \'@sluice/core/calendars\' where your program begins, because it follows the calendar, got "month" (SLUICE_OPTION)';

const refused = (path: string) =>
  expect.objectContaining({ code: 'SLUICE_OPTION', path, received: 'month', message: `${path} ${RULE}` });

/** These tests are in a file of their own, because an import is for the whole of one. */
describe('without the import of calendars', () => {
  it('no calendar window is made, and the error names the import', () => {
    expect(() => fixedWindow({ limit: 5, window: { unit: 'month', timeZone: 'UTC' } })).toThrow(refused('window'));
  });

  it('an unknown unit is still the first mistake', () => {
    const window = { unit: 'year', timeZone: 'UTC' } as never;
    expect(() => fixedWindow({ limit: 5, window })).toThrow(expect.objectContaining({ path: 'window.unit' }));
  });

  it('a policy refuses a limit that was made elsewhere, where it is made', () => {
    expect(() => createLimiter({ limit: MONTHLY })).toThrow(refused('limit'));
    const burst = slidingWindow({ limit: 5, window: '1s' });
    expect(() => createLimiter({ limits: [burst, MONTHLY] })).toThrow(refused('limits[1].limit'));
    expect(() => createLimiter({ limits: [burst, { name: 'month', limit: MONTHLY }] })).toThrow(
      refused('limits[1].limit'),
    );
  });

  it('a tier that returns one is refused by the verb', () => {
    const limiter = createLimiter<string>({ limit: () => MONTHLY });
    expect(() => limiter.consume('ann')).toThrow(refused('limit()'));
  });

  it('a charge of another process is not corrected', () => {
    const limiter = createLimiter({ limit: 5, window: '1m' });
    const checks = [{ name: 'per-month', key: 'ann', limit: MONTHLY, cost: 1 }];
    const charge = { policy: 'default', id: 'a', atMs: 0, untilMs: 1000, checks };
    expect(() => limiter.correct(charge, { cancel: true })).toThrow(refused('charge.checks[0].limit'));
  });

  it('the worst case is not computed', () => {
    expect(() => boundOf(MONTHLY, '1d')).toThrow(refused('limit'));
  });

  it('all other windows work', () => {
    const limits = [fixedWindow({ limit: 5, window: '1d', align: 'clock' }), slidingWindow({ limit: 5, window: '1m' })];
    expect(createLimiter({ limits }).consume('ann').allowed).toBe(true);
  });
});
