import assert from 'node:assert/strict';
import { leakyBucket } from '../../algorithms/buckets/leaky.js';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { ipKey } from '../../http/keys/ip-address.js';
import type { Key } from '../../values/key.js';
import type { Limit } from '../../values/limit.js';
import { FragileStore } from './fragile-store.js';
import type { Rules } from './stage.js';

const QUEUE = leakyBucket({ capacity: 3, leakRate: 1 });
const BUDGET = slidingWindow({ name: 'budget', limit: 5, window: '1m' });
const SLOTS = concurrency({ name: 'slots', limit: 5, lease: '30s' });

const leftBeforeTheTurn =
  (limits: readonly Limit[]): Rules[string] =>
  async (stage) => {
    let open = (): void => {};
    const opened = new Promise<Key>((resolve) => {
      // By then the connection has no address any more.
      open = () => resolve(ipKey('127.0.0.1'));
    });
    let isAsked = false;
    await stage.serve((tools) => [
      {
        limits,
        skip: (...args) => tools.requestOf(args).url === '/meanwhile',
        keyGenerator: (...args) => {
          if (tools.requestOf(args).url !== '/late') return undefined;
          isAsked = true;
          return opened;
        },
      },
    ]);
    await stage.get();
    const leaving = stage.begin('/late');
    await stage.until('the key is asked for', () => isAsked);
    leaving.leave();
    // By the time that these are answered, the server has heard of it.
    assert.deepEqual(await stage.statuses(3, '/meanwhile'), [200, 200, 200]);
    open();
    await stage.until('the store is asked', () => stage.store.asked === 2);
    await stage.until('the charge is back', async () => (await stage.left(BUDGET, 'budget')) === 4);
    stage.clock.advance('3s');
    assert.equal((await stage.get()).status, 200);
    assert.deepEqual(
      stage.handled.map(({ path }) => path),
      ['/', '/meanwhile', '/meanwhile', '/meanwhile', '/'],
    );
  };

/** A leaky bucket makes requests wait for their turn. */
export const delayRules: Rules = {
  'runs handlers one interval apart, and refuses at once what finds the bucket full': async (stage) => {
    await stage.serve([{ limit: QUEUE }]);
    assert.deepEqual(await stage.statuses(1), [200]);
    const waiting = [stage.get(), stage.get()];
    await stage.clock.untilSleeping(2);
    assert.equal((await stage.get()).status, 429);
    for (const handled of [2, 3]) {
      assert.equal(stage.handled.length, handled - 1);
      stage.clock.advance(999);
      assert.equal(stage.handled.length, handled - 1);
      stage.clock.advance(1);
      await stage.until('a turn', () => stage.handled.length === handled);
    }
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
  },

  'does not run the handler for a client that has left, and gives back what its other limits charged': async (
    stage,
  ) => {
    await stage.serve([{ limits: [SLOTS, QUEUE, BUDGET] }]);
    await stage.get();
    const left = async () => [await stage.left(BUDGET, 'budget'), await stage.left(SLOTS, 'slots')].join();
    await stage.until('the first has ended', async () => (await left()) === '4,5');
    const leaving = stage.begin();
    await stage.until('the second waits', async () => (await left()) === '3,4');
    leaving.leave();
    await stage.until('the charges are back', async () => (await left()) === '4,5');
    stage.clock.advance('1s');
    // The place in the queue stays taken, so the next one waits behind it, and after it.
    const next = stage.begin();
    await stage.clock.untilSleeping(2);
    stage.clock.advance('1s');
    assert.equal((await next.answer).status, 200);
    assert.equal(stage.handled.length, 2);
  },

  'keeps what a request was charged that waited and was served': async (stage) => {
    await stage.serve([{ limits: [SLOTS, QUEUE, BUDGET] }]);
    await stage.get();
    await stage.until('the first has ended', async () => (await stage.left(SLOTS, 'slots')) === 5);
    const waiting = stage.begin();
    // The request, and the renewal of its slot.
    await stage.clock.untilSleeping(2);
    stage.clock.advance('1s');
    assert.equal((await waiting.answer).status, 200);
    await stage.until('the second has ended', async () => (await stage.left(SLOTS, 'slots')) === 5);
    assert.equal(await stage.left(BUDGET, 'budget'), 3);
  },

  'gives back what the outer policies charged when the client leaves': async (stage) => {
    await stage.serve([
      { name: 'outer', limits: [SLOTS, BUDGET] },
      { name: 'inner', limit: QUEUE },
    ]);
    await stage.get();
    const left = async () =>
      [await stage.left(BUDGET, 'budget', 'outer'), await stage.left(SLOTS, 'slots', 'outer')].join();
    await stage.until('the first has ended', async () => (await left()) === '4,5');
    const leaving = stage.begin();
    await stage.until('the second waits', async () => (await left()) === '3,4');
    leaving.leave();
    await stage.until('the charges are back', async () => (await left()) === '4,5');
    assert.equal(stage.handled.length, 1);
  },

  'hands the error of a clock that cannot wait to the framework': async (stage) => {
    const clock = { now: () => stage.clock.now(), sleep: () => Promise.reject(new Error('the clock is broken')) };
    await stage.serve([{ limit: QUEUE, store: new FragileStore(clock, stage.store.async) }]);
    assert.deepEqual(await stage.statuses(2), [200, 500]);
    assert.equal(stage.handled.length, 1);
  },

  'lets nobody wait who left before the turn was known': leftBeforeTheTurn([QUEUE, BUDGET]),

  'gives everything back to a client that left before the turn was known, though a slot is to be freed':
    leftBeforeTheTurn([SLOTS, QUEUE, BUDGET]),
};
