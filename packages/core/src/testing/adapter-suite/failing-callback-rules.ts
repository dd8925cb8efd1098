import assert from 'node:assert/strict';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './stage.js';

const SEVEN = slidingWindow({ name: 'first', limit: 7, window: '1m' });
const NONE = { limit: 0, window: '1m' } as const;

type Fail = () => never;

/** Policies of two limits, so that the first could be charged before a callback of the second fails. */
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

/** Answers that are none, which no caller but this could type. */
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

/** What fails without an error to hand on must not be taken for what succeeds. */
const throwingNothing: Fail = () => {
  throw undefined;
};
const rejectingWithNothing = (() => Promise.reject()) as unknown as Fail;

const failsWith =
  (options: AdapterOptions): Rules[string] =>
  async (stage) => {
    await stage.serve([options]);
    for (let i = 0; i < 3; i += 1) assert.equal((await stage.get()).status, 500);
    assert.equal(stage.handled.length, 0);
    assert.equal(await stage.left(SEVEN, 'first'), 7);
  };

const rulesOf = (callbacks: typeof ASKED): Rules =>
  Object.fromEntries(
    Object.entries(callbacks).flatMap(([name, optionsWith]) => [
      [`hands an error that ${name} throws to the framework, and spends nothing`, failsWith(optionsWith(throwing))],
      [
        `hands an error that ${name} rejects with to the framework, and spends nothing`,
        failsWith(optionsWith(rejecting)),
      ],
    ]),
  );

/** Mistakes and failures of the application's own functions. */
export const failingCallbackRules: Rules = {
  ...rulesOf(ASKED),
  ...rulesOf(REFUSED),
  ...Object.fromEntries(
    Object.entries(WRONG).map(([answer, options]) => [
      `takes ${answer} for an error, and spends nothing`,
      failsWith(options),
    ]),
  ),

  'takes a key generator that throws undefined for one that fails': failsWith({
    limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: throwingNothing }],
  }),

  'takes a key generator that rejects with undefined for one that fails': failsWith({
    limits: [SEVEN, { limit: 1, window: '1s', keyGenerator: rejectingWithNothing }],
  }),

  'takes an onLimitReached that rejects with undefined for one that fails': failsWith({
    limits: [SEVEN, NONE],
    onLimitReached: rejectingWithNothing,
  }),

  'goes on as if nothing had been when a callback has recovered': async (stage) => {
    let isDown = true;
    await stage.serve([{ limit: 2, window: '1m', keyGenerator: () => (isDown ? throwing() : 'all') }]);
    assert.deepEqual(await stage.statuses(3), [500, 500, 500]);
    isDown = false;
    assert.deepEqual(await stage.statuses(3), [200, 200, 429]);
  },
};
