import { slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './adapter-fixture.js';

const SEVEN = slidingWindow({ name: 'first', limit: 7, window: '1m' });
const NONE = { limit: 0, window: '1m' } as const;

type Fail = () => never;

/** Policies with two limits: the first could be charged before a callback of the second fails. */
const ASKED: Readonly<Record<string, (fail: Fail) => AdapterOptions>> = {
  keyGenerator: (fail) => ({ limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: fail }] }),
  'a part of a compound key': (fail) => ({
    limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: [() => 'a', fail] }],
  }),
  cost: (fail) => ({ limits: [SEVEN, { limit: 1, window: '1s', cost: fail }] }),
  'a number by function': (fail) => ({ limits: [SEVEN, { limit: fail, window: '1s' }] }),
  'a tier': (fail) => ({ limits: [SEVEN, { limit: fail as () => typeof SEVEN }] }),
  skip: (fail) => ({ limits: [SEVEN], skip: fail }),
};

/** Callbacks that a refusal calls. */
const REFUSED: Readonly<Record<string, (fail: Fail) => AdapterOptions>> = {
  onLimitReached: (fail) => ({ limits: [SEVEN, NONE], onLimitReached: fail }),
  message: (fail) => ({ limits: [SEVEN, NONE], message: fail }),
};

/** Invalid results, which TypeScript would not accept. */
const WRONG: Readonly<Record<string, AdapterOptions>> = {
  'a negative cost': { limits: [SEVEN, { limit: 1, window: '1s', cost: () => -1 }] },
  'a cost that is no whole number': { limits: [SEVEN, { limit: 1, window: '1s', cost: async () => 0.5 }] },
  'a cost that is no number': { limits: [SEVEN, { limit: 1, window: '1s', cost: () => '1' as unknown as number }] },
  'no tier': { limits: [SEVEN, { limit: () => undefined as unknown as typeof SEVEN }] },
  'a negative limit': { limits: [SEVEN, { limit: () => -1, window: '1s' }] },
  'a key that is an object': { limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: () => ({}) as string }] },
  'a message that is none': { limits: [SEVEN, NONE], message: () => undefined as unknown as string },
};

const throwing: Fail = () => {
  throw new Error('the directory is down');
};
const rejecting = (() => Promise.reject(new Error('the directory is down'))) as unknown as Fail;

/** A callback that fails without an error must still count as failed. */
const throwingNothing: Fail = () => {
  throw undefined;
};
const rejectingWithNothing = (() => Promise.reject()) as unknown as Fail;

const failsWith =
  (options: AdapterOptions): Rules[string] =>
  async (fixture) => {
    await fixture.serve([options]);
    for (let i = 0; i < 3; i += 1) assert.equal((await fixture.get()).status, 500);
    assert.equal(fixture.handled.length, 0);
    assert.equal(await fixture.left(SEVEN, 'first'), 7);
  };

const rulesOf = (callbacks: typeof ASKED): Rules =>
  Object.fromEntries(
    Object.entries(callbacks).flatMap(([name, optionsWith]) => [
      [`passes an error that ${name} throws to the framework, and spends nothing`, failsWith(optionsWith(throwing))],
      [
        `passes an error that ${name} rejects with to the framework, and spends nothing`,
        failsWith(optionsWith(rejecting)),
      ],
    ]),
  );

/** Errors in the functions of the application. */
export const failingCallbackRules: Rules = {
  ...rulesOf(ASKED),
  ...rulesOf(REFUSED),
  ...Object.fromEntries(
    Object.entries(WRONG).map(([answer, options]) => [
      `treats ${answer} as an error, and spends nothing`,
      failsWith(options),
    ]),
  ),

  'treats a key generator that throws undefined as failed': failsWith({
    limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: throwingNothing }],
  }),

  'treats a key generator that rejects with undefined as failed': failsWith({
    limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: rejectingWithNothing }],
  }),

  'treats an onLimitReached that rejects with undefined as failed': failsWith({
    limits: [SEVEN, NONE],
    onLimitReached: rejectingWithNothing,
  }),

  'works again when a callback has recovered': async (fixture) => {
    let isDown = true;
    await fixture.serve([{ limit: 2, window: '1m', keyGenerator: () => (isDown ? throwing() : 'all') }]);
    assert.deepEqual(await fixture.statuses(3), [500, 500, 500]);
    isDown = false;
    assert.deepEqual(await fixture.statuses(3), [200, 200, 429]);
  },
};
