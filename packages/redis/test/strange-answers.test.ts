import { expect, it } from '@jest/globals';
import { type Clock, slidingWindow } from '@sluice/core';
import { RedisStore } from '../src/index.js';
import { clientAnswering } from './client-over.js';

const check = { policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 };

/** The bytes of a reply with these numbers. */
function packed(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(8 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeDoubleLE(number, 8 * i);
  return bytes;
}

// A connection in a transaction that something else has begun answers QUEUED to every command.
it.each([
  ...['QUEUED', 'OK', null, undefined, 5, {}, [], [null], [1000, 1, 4, 5000]],
  ...['', 'QUEUED', 'x'.repeat(100)].map((text) => Buffer.from(text)),
  ...[[], [1000], [1000, -4], [1000, 1, 4], [1000, 128, 4, 5000], [1000, 0.5, 4, 5000]].map((n) => packed(...n)),
  // An error whose length is too large, negative, or no number.
  ...[1e9, -16, Number.NaN].map((length) => packed(1000, -3, length)),
])('An invalid reply of Redis fails its own asks, and no others: %j', async (answer) => {
  const store = new RedisStore({ client: clientAnswering(async () => answer) });
  const asked = [1, 2, 3].map(() => store.consume({ checks: [check] }));
  const outcomes = await Promise.allSettled([...asked, store.adjust({ checks: [check] })]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_STORE' } });
  }
  const reset = store.reset([check]);
  if (typeof answer === 'number') await expect(reset).resolves.toBeGreaterThan(0);
  else await expect(reset).rejects.toMatchObject({ code: 'SLUICE_STORE' });
  await store.close();
});

it('A failing clock fails the current asks, and no later ones', async () => {
  let isBroken = false;
  const broken = new Error('the clock has stopped');
  const clock: Clock = {
    now: () => {
      if (isBroken) throw broken;
      return 1000;
    },
    sleep: async () => {},
  };
  const store = new RedisStore({
    client: clientAnswering(async () => packed(1000, 1, 4, 5000)),
    clock,
    timeout: '10s',
  });
  isBroken = true;
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.consume({ checks: [check] })));
  expect(outcomes.map((outcome) => 'reason' in outcome && outcome.reason)).toEqual([broken, broken, broken]);
  isBroken = false;
  expect(await store.consume({ checks: [check] })).toMatchObject({ allowed: true, verdicts: [{ remaining: 4 }] });
  await store.close();
});
