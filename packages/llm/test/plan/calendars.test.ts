import { describe, expect, it } from '@jest/globals';
import { slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { usd } from '../../src/index.js';
import { limited, settleWith, usedOf } from '../limited.js';

/** Ten seconds before a day of this zone ends, and what its next day costs. */
const EVES: readonly [what: string, timeZone: string, midnight: string, nextHours: number][] = [
  ['a day of 24 hours', 'UTC', '2026-03-10T00:00:00Z', 24],
  ['a day in Seoul', 'Asia/Seoul', '2026-03-10T00:00:00+09:00', 24],
  ['the day of 23 hours, when clocks go forward', 'Europe/Rome', '2026-03-29T00:00:00+01:00', 23],
  ['the day of 25 hours, when clocks go back', 'Europe/Rome', '2026-10-25T00:00:00+02:00', 25],
];

const HELD = usd('0.30');

/** A call of the model costs ten micro-dollars for each token of output. */
const outputFor = (microDollars: number): { output: number } => ({ output: microDollars / 10 });

describe.each(EVES)('A call that begins before %s', (_what, timeZone, midnight, nextHours) => {
  const midnightMs = Date.parse(midnight);

  async function overMidnight() {
    const clock = new ManualClock(midnightMs - 10_000);
    const setup = limited({ plan: { perDay: usd('1') }, timeZone }, clock);
    const reservation = await setup.reserve({ max_tokens: 29_999, messages: [{ role: 'user', content: '' }] });
    const held = reservation.verdicts[0]?.cost as number;
    // The prompt costs a few micro-dollars, so that the rest of what is held is settled exactly.
    expect(HELD - held).toBeGreaterThan(-20);
    clock.set(midnightMs + 10_000);
    const usedToday = async () => usedOf(await setup.limiter.peek(setup.job())).perDay as number;
    return { ...setup, reservation, held, usedToday };
  }

  it('charges only what it used beyond what it held to the new day', async () => {
    const { llm, reservation, held, usedToday } = await overMidnight();
    await settleWith(llm, reservation, outputFor(usd('0.70')));
    expect(await usedToday()).toBe(usd('0.70') - held);
  });

  it('gives nothing of the old day back to the new one', async () => {
    const { llm, reservation, usedToday } = await overMidnight();
    await settleWith(llm, reservation, outputFor(usd('0.02')));
    expect(await usedToday()).toBe(0);
  });

  it('leaves the new day its own length', async () => {
    const { reserve, clock, usedToday } = await overMidnight();
    await reserve({ max_tokens: 10 });
    clock.set(midnightMs + nextHours * 3_600_000 - 1);
    expect(await usedToday()).toBeGreaterThan(0);
    clock.advance(1);
    expect(await usedToday()).toBe(0);
  });
});

/** A second before a budget begins anew, by the name of the budget. */
const ENDS = {
  perHour: '2026-02-25T13:59:59+09:00',
  perDay: '2026-02-25T23:59:59+09:00',
  // A Sunday.
  perWeek: '2026-03-01T23:59:59+09:00',
  perMonth: '2026-02-28T23:59:59+09:00',
} as const;

describe.each(Object.entries(ENDS))('The budget %s', (name, lastSecond) => {
  it.each([
    ['of all plans', { plan: { [name]: usd('1') }, timeZone: 'Asia/Seoul' }],
    ['of its plan', { plan: { [name]: usd('1'), timeZone: 'Asia/Seoul' }, timeZone: 'UTC' }],
  ])('begins anew in the time zone %s, and not before', async (_, options) => {
    const clock = new ManualClock(Date.parse(lastSecond) - 1000);
    const { reserve, limiter, job } = limited(options, clock);
    const used = async () => usedOf(await limiter.peek(job()))[name];
    await reserve({ max_tokens: 10 });
    clock.advance('1s');
    expect(await used()).toBeGreaterThan(0);
    clock.advance('1s');
    expect(await used()).toBe(0);
  });
});

describe('A budget for ever', () => {
  const plan = { perLifetime: usd('1') };

  it('gets nothing back, however long a key does nothing', async () => {
    const { llm, reserve, limiter, job, clock } = limited({ plan });
    await settleWith(llm, await reserve({ max_tokens: 10 }), outputFor(usd('0.40')));
    clock.advance('3650d');
    expect(usedOf(await limiter.peek(job())).perLifetime).toBe(usd('0.40'));
    await settleWith(llm, await reserve({ max_tokens: 10 }), outputFor(usd('0.60')));
    const refused = await reserve({ max_tokens: 10 });
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('bounds what a key can ever spend', () => {
    const { llm } = limited({ plan, hold: 'ceiling' });
    expect(llm.boundOf(plan, '3650d').microDollars).toBe(usd('1'));
  });
});

it('counts money by a limit that is given as it is', async () => {
  const perDay = slidingWindow({ limit: usd('1'), window: '24h' });
  const { llm, reserve, limiter, job, clock } = limited({ plan: { perDay } });
  await settleWith(llm, await reserve({ max_tokens: 10 }), outputFor(usd('0.40')));
  clock.advance('23h');
  expect(usedOf(await limiter.peek(job())).perDay).toBe(usd('0.40'));
  // A sub-window is a twentieth of the window.
  clock.advance('3h');
  expect(usedOf(await limiter.peek(job())).perDay).toBe(0);
});
