import { describe, expect, it } from '@jest/globals';
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

it('begins a month anew in the time zone of the plans', async () => {
  const clock = new ManualClock(Date.parse('2026-02-28T23:59:59+09:00'));
  const { reserve, limiter, job } = limited({ plan: { perMonth: usd('1') }, timeZone: 'Asia/Seoul' }, clock);
  await reserve({ max_tokens: 10 });
  expect(usedOf(await limiter.peek(job())).perMonth).toBeGreaterThan(0);
  clock.advance('1s');
  expect(usedOf(await limiter.peek(job())).perMonth).toBe(0);
});
