import { concurrency, everyone, type Key, type Limit, leakyBucket, slidingWindow } from '@sluice/core';
import { ipKey } from '@sluice/core/http';
import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { available } from './answer-fields.js';
import { FragileStore } from './fragile-store.js';
import { headerReader } from './header-reader.js';

const QUEUE = leakyBucket({ capacity: 3, leakRate: 1 });
const BUDGET = slidingWindow({ name: 'budget', limit: 5, window: '1m' });
const SLOTS = concurrency({ name: 'slots', limit: 5, lease: '30s' });

const leftBeforeTheTurn =
  (limits: readonly Limit[]): Rules[string] =>
  async (fixture) => {
    let open = (): void => {};
    const opened = new Promise<Key>((resolve) => {
      // The connection has no address any more at that time.
      open = () => resolve(ipKey('127.0.0.1'));
    });
    let isAsked = false;
    await fixture.serve((tools) => [
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
    await fixture.get();
    const leaving = fixture.begin('/late');
    await fixture.until('the key is asked for', () => isAsked);
    leaving.leave();
    // When these have their responses, the server has noticed it.
    assert.deepEqual(await fixture.statuses(3, '/meanwhile'), [200, 200, 200]);
    open();
    await fixture.until('the store is asked', () => fixture.store.asked === 2);
    await fixture.until('the charge is back', async () => (await fixture.left(BUDGET, 'budget')) === 4);
    fixture.clock.advance('3s');
    assert.equal((await fixture.get()).status, 200);
    assert.deepEqual(
      fixture.handled.map(({ path }) => path),
      ['/', '/meanwhile', '/meanwhile', '/meanwhile', '/'],
    );
  };

/** A leaky bucket lets requests wait for their turn. */
export const delayRules: Rules = {
  'runs handlers one interval apart, and refuses at once if the bucket is full': async (fixture) => {
    await fixture.serve([{ limit: QUEUE }]);
    assert.deepEqual(await fixture.statuses(1), [200]);
    const waiting = [fixture.get(), fixture.get()];
    await fixture.clock.untilSleeping(2);
    assert.equal((await fixture.get()).status, 429);
    for (const handled of [2, 3]) {
      assert.equal(fixture.handled.length, handled - 1);
      fixture.clock.advance(999);
      assert.equal(fixture.handled.length, handled - 1);
      fixture.clock.advance(1);
      await fixture.until('a turn', () => fixture.handled.length === handled);
    }
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
  },

  'does not run the handler for a client that has left, and gives back the charges of other limits': async (
    fixture,
  ) => {
    await fixture.serve([{ limits: [SLOTS, QUEUE, BUDGET] }]);
    await fixture.get();
    const left = async () => [await fixture.left(BUDGET, 'budget'), await fixture.left(SLOTS, 'slots')].join();
    await fixture.until('the first has ended', async () => (await left()) === '4,5');
    const leaving = fixture.begin();
    await fixture.until('the second waits', async () => (await left()) === '3,4');
    leaving.leave();
    await fixture.until('the charges are back', async () => (await left()) === '4,5');
    fixture.clock.advance('1s');
    // The place in the queue stays taken, so the next request waits longer.
    const next = fixture.begin();
    await fixture.clock.untilSleeping(2);
    fixture.clock.advance('1s');
    assert.equal((await next.answer).status, 200);
    assert.equal(fixture.handled.length, 2);
  },

  'keeps the charge of a request that waited and was served': async (fixture) => {
    await fixture.serve([{ limits: [SLOTS, QUEUE, BUDGET] }]);
    await fixture.get();
    await fixture.until('the first has ended', async () => (await fixture.left(SLOTS, 'slots')) === 5);
    const waiting = fixture.begin();
    // The request, and the renewal of its slot.
    await fixture.clock.untilSleeping(2);
    fixture.clock.advance('1s');
    assert.equal((await waiting.answer).status, 200);
    await fixture.until('the second has ended', async () => (await fixture.left(SLOTS, 'slots')) === 5);
    assert.equal(await fixture.left(BUDGET, 'budget'), 3);
  },

  'gives back the charges of outer policies if the client leaves': async (fixture) => {
    await fixture.serve([
      { name: 'outer', limits: [SLOTS, BUDGET] },
      { name: 'inner', limit: QUEUE },
    ]);
    await fixture.get();
    const left = async () =>
      [await fixture.left(BUDGET, 'budget', 'outer'), await fixture.left(SLOTS, 'slots', 'outer')].join();
    await fixture.until('the first has ended', async () => (await left()) === '4,5');
    const leaving = fixture.begin();
    await fixture.until('the second waits', async () => (await left()) === '3,4');
    leaving.leave();
    await fixture.until('the charges are back', async () => (await left()) === '4,5');
    assert.equal(fixture.handled.length, 1);
  },

  'delays requests before it refuses them, each by its own place': async (fixture) => {
    const slowDown = { after: 2, by: '100ms', upTo: '250ms' } as const;
    await fixture.serve([{ limit: 6, window: '1m', slowDown }]);
    const answers = Array.from({ length: 7 }, () => fixture.get());
    await fixture.clock.untilSleeping(4);
    await fixture.until('the first two', () => fixture.handled.length === 2);
    for (const [ms, handled] of [
      [100, 3],
      [100, 4],
      [50, 6],
    ] as const) {
      fixture.clock.advance(ms - 1);
      assert.equal(fixture.handled.length, handled === 6 ? 4 : handled - 1);
      fixture.clock.advance(1);
      await fixture.until('a turn', () => fixture.handled.length === handled);
    }
    assert.deepEqual((await Promise.all(answers)).map(({ status }) => status).sort(), [...Array(6).fill(200), 429]);
  },

  'refuses at once who would be one too many of those delayed, and gives the units back': async (fixture) => {
    const slowDown = { after: 0, by: '1s', upTo: '10s', waiting: 2 } as const;
    const limit = slidingWindow({ name: 'all', limit: 9, window: '1m' });
    await fixture.serve([{ limit, slowDown }]);
    const waiting = [fixture.get(), fixture.get()];
    await fixture.clock.untilSleeping(2);
    const refused = await fixture.get();
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '3']);
    assert.equal(await fixture.left(limit, 'all'), 7);
    fixture.clock.advance('2s');
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [200, 200],
    );
    const later = fixture.begin();
    await fixture.clock.untilSleeping(1);
    later.leave();
    await fixture.until('the client has left', async () => (await fixture.left(limit, 'all')) === 7);
    assert.equal(fixture.handled.length, 2);
  },

  'lets a request of the key with most of them give way, if all places are taken': async (fixture) => {
    const slowDown = { after: 0, by: '1s', upTo: '30s', waiting: 4 } as const;
    const limit = slidingWindow({ name: 'all', limit: 9, window: '1m' });
    const site = slidingWindow({ name: 'site', limit: 99, window: '1m' });
    await fixture.serve((tools) => [
      { name: 'site', limit: site, keyGenerator: everyone() },
      {
        name: 'api',
        limits: [
          { limit, slowDown },
          { limit: slidingWindow({ name: 'every', limit: 99, window: '1m' }), keyGenerator: everyone() },
        ],
        keyGenerator: headerReader(tools)('x-client'),
      },
    ]);
    const as = (client: string) => ({ 'x-client': client });
    const attacks = [];
    for (let i = 0; i < 4; i += 1) {
      attacks.push(fixture.get(`/attack-${i}`, as('attacker')));
      await fixture.clock.untilSleeping(i + 1);
    }
    assert.equal((await fixture.get('/attack-4', as('attacker'))).status, 503);
    const victim = fixture.get('/victim', as('victim'));
    const gaveWay = await (attacks[3] as (typeof attacks)[0]);
    const { status, headers } = gaveWay;
    assert.deepEqual([status, headers['retry-after'], headers['cache-control']], [503, '4', 'no-store']);
    // Its charges are back, also in the outer policy, and the fields say so.
    assert.deepEqual(available(gaveWay), { site: 96, all: 6, every: 96 });
    await fixture.until('it is back', async () => (await fixture.left(limit, 'all', 'api', 'attacker')) === 6);
    fixture.clock.advance('1s');
    assert.equal((await victim).status, 200);
    fixture.clock.advance('2s');
    for (const attack of attacks.slice(0, 3)) assert.equal((await attack).status, 200);
    assert.equal(fixture.handled.length, 4);
    assert.equal(await fixture.left(site, 'site', 'site', everyone()()), 95);
  },

  'passes the error of a clock that cannot sleep to the framework': async (fixture) => {
    const clock = { now: () => fixture.clock.now(), sleep: () => Promise.reject(new Error('the clock is broken')) };
    await fixture.serve([{ limit: QUEUE, store: new FragileStore(clock, fixture.store.async) }]);
    assert.deepEqual(await fixture.statuses(2), [200, 500]);
    assert.equal(fixture.handled.length, 1);
  },

  'does not wait for a client that left before its turn was known': leftBeforeTheTurn([QUEUE, BUDGET]),

  'gives everything back if a client left before its turn was known, also if it has a slot': leftBeforeTheTurn([
    SLOTS,
    QUEUE,
    BUDGET,
  ]),
};
