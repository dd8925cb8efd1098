import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { available, limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { FragileStore } from './fragile-store.js';
import { headerReader } from './header-reader.js';
import type { Rules } from './stage.js';

const TEN = slidingWindow({ limit: 10, window: '1m' });
const FIVE = slidingWindow({ limit: 5, window: '10s' });

const fail = (): never => {
  throw new Error('the directory is down');
};

/** Several policies on one request. */
export const chainRules: Rules = {
  'tells of the limits of all policies, and of the tightest where there is room for one': async (stage) => {
    await stage.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: FIVE },
    ]);
    assert.deepEqual(limitFields(await stage.get()), {
      'ratelimit-policy': '"site";q=10;w=60,"api";q=5;w=10',
      ratelimit: '"site";r=9;t=60,"api";r=4;t=10',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': '10',
    });
  },

  'keeps telling of an outer limit that is the tightest': async (stage) => {
    await stage.serve([
      { name: 'site', limit: FIVE },
      { name: 'api', limit: TEN },
    ]);
    assert.deepEqual(limitFields(await stage.get()), {
      'ratelimit-policy': '"site";q=5;w=10,"api";q=10;w=60',
      ratelimit: '"site";r=4;t=10,"api";r=9;t=60',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': '10',
    });
  },

  'tells of no reset where the tightest limit has none, whatever an outer policy told': async (stage) => {
    await stage.serve([
      { name: 'site', limit: TEN, standardHeaders: 'draft-7' },
      { name: 'api', limit: FIVE, cost: 6, standardHeaders: 'draft-7' },
    ]);
    const refused = await stage.get();
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '10;w=60, 5;w=10',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
    });
    assert.equal(refused.status, 429);
  },

  'puts the policy before a name that is there already': async (stage) => {
    await stage.serve([
      { name: 'site', limits: [TEN] },
      { name: 'api', limits: [{ limit: 1, window: '1m' }] },
    ]);
    assert.equal((await stage.get()).headers['ratelimit-policy'], '"per-1m";q=10;w=60,"api:per-1m";q=1;w=60');
    assert.deepEqual(ownAnswer(await stage.get()), quotaExceeded(['api:per-1m'], 60));
  },

  'leaves a name to the next policy where the first sends no field of its own': async (stage) => {
    await stage.serve([
      { name: 'trial', limits: [FIVE], enforce: 0 },
      { name: 'hidden', limits: [FIVE], standardHeaders: false, legacyHeaders: false },
      {
        name: 'unseen',
        limits: [FIVE],
        standardHeaders: false,
        legacyHeaders: { limit: false, remaining: false, reset: false },
      },
      { name: 'api', limits: [slidingWindow({ limit: 7, window: '10s' })] },
    ]);
    assert.deepEqual(limitFields(await stage.get()), {
      'ratelimit-policy': '"per-10s";q=7;w=10',
      ratelimit: '"per-10s";r=6;t=10',
      'x-ratelimit-limit': '7',
      'x-ratelimit-remaining': '6',
      'x-ratelimit-reset': '10',
    });
  },

  'gives back what the outer policies charged when an inner one refuses': async (stage) => {
    await stage.serve((tools) => [
      { name: 'site', limit: TEN },
      { name: 'slots', limit: concurrency({ limit: 3, lease: '30s' }) },
      { name: 'api', limit: 1, window: '1m', keyGenerator: headerReader(tools)('x-client') },
    ]);
    assert.deepEqual(await stage.statuses(3, '/', { 'x-client': 'ann' }), [200, 429, 429]);
    assert.deepEqual(available(await stage.get('/', { 'x-client': 'bob' })), { site: 8, slots: 2, api: 0 });
    await stage.until(
      'the slots are free',
      async () => (await stage.left(concurrency({ limit: 3, lease: '30s' }), 'slots', 'slots')) === 3,
    );
  },

  'asks no inner policy when an outer one refuses': async (stage) => {
    await stage.serve([
      { name: 'site', limit: 1, window: '1m' },
      { name: 'api', limit: TEN },
    ]);
    await stage.get();
    const refused = await stage.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['site'], 60));
    assert.deepEqual(available(refused), { site: 0 });
    assert.equal(await stage.left(TEN, 'api', 'api'), 9);
  },

  'gives back what the outer policies charged when an inner one denies the address': async (stage) => {
    await stage.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: TEN, denyList: ['127.0.0.1'] },
    ]);
    assert.equal((await stage.get()).status, 403);
    assert.equal(await stage.left(TEN, 'site', 'site'), 10);
  },

  'gives back what the outer policies charged when an inner one has lost its store and denies': async (stage) => {
    const lost = new FragileStore(stage.clock, stage.store.async);
    lost.failure = new Error('gone');
    await stage.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: TEN, store: lost, onStoreError: 'deny' },
    ]);
    assert.equal((await stage.get()).status, 503);
    assert.equal(await stage.left(TEN, 'site', 'site'), 10);
  },

  'gives back what the outer policies charged when an inner one fails': async (stage) => {
    await stage.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: TEN, keyGenerator: fail },
    ]);
    assert.equal((await stage.get()).status, 500);
    assert.equal(await stage.left(TEN, 'site', 'site'), 10);
  },

  'hands the handler the reservation of the last policy that counted': async (stage) => {
    await stage.serve(
      [
        { name: 'site', limit: TEN },
        { name: 'api', limit: FIVE },
        { name: 'skipped', limit: FIVE, skip: () => true },
      ],
      ({ rateLimit }) => ({ status: 200, body: String(rateLimit?.policy) }),
    );
    assert.equal((await stage.get()).body, 'api');
  },
};
