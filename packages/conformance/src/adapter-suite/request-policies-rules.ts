import { concurrency, slidingWindow, tokenBucket } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { FragileStore } from './fragile-store.js';
import { headerReader } from './header-reader.js';
import { recordedWarnings } from './recorded-warnings.js';

const TEN = slidingWindow({ limit: 10, window: '1m' });
const FIVE = slidingWindow({ limit: 5, window: '10s' });

const fail = (): never => {
  throw new Error('the directory is down');
};

/** Several policies for one request. */
export const requestPoliciesRules: Rules = {
  'states the limits of all policies, and the tightest one in fields for a single limit': async (fixture) => {
    await fixture.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: FIVE },
    ]);
    assert.deepEqual(limitFields(await fixture.get()), {
      'ratelimit-policy': '"site";q=10;w=60,"api";q=5;w=10',
      ratelimit: '"site";r=9;t=60,"api";r=4;t=10',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': '10',
    });
  },

  'keeps stating an outer limit if it is the tightest': async (fixture) => {
    await fixture.serve([
      { name: 'site', limit: FIVE },
      { name: 'api', limit: TEN },
    ]);
    assert.deepEqual(limitFields(await fixture.get()), {
      'ratelimit-policy': '"site";q=5;w=10,"api";q=10;w=60',
      ratelimit: '"site";r=4;t=10,"api";r=9;t=60',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': '10',
    });
  },

  'states no reset if the tightest limit has none, whatever an outer policy stated': async (fixture) => {
    await fixture.serve([
      { name: 'site', limit: TEN, standardHeaders: 'draft-7' },
      { name: 'api', limit: FIVE, cost: 6, standardHeaders: 'draft-7' },
    ]);
    const refused = await fixture.get();
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '10;w=60, 5;w=10',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
    });
    assert.equal(refused.status, 429);
  },

  'adds the name of the policy to a name that is already used': async (fixture) => {
    await fixture.serve([
      { name: 'site', limits: [TEN] },
      { name: 'api', limits: [{ limit: 1, window: '1m' }] },
    ]);
    assert.equal((await fixture.get()).headers['ratelimit-policy'], '"per-1m";q=10;w=60,"api:per-1m";q=1;w=60');
    assert.deepEqual(ownAnswer(await fixture.get()), quotaExceeded(['api:per-1m'], 60));
  },

  'lets the next policy use a name if the first one sends no field': async (fixture) => {
    await fixture.serve([
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
    assert.deepEqual(limitFields(await fixture.get()), {
      'ratelimit-policy': '"per-10s";q=7;w=10',
      ratelimit: '"per-10s";r=6;t=10',
      'x-ratelimit-limit': '7',
      'x-ratelimit-remaining': '6',
      'x-ratelimit-reset': '10',
    });
  },

  'gives back the charges of outer policies if an inner one refuses': async (fixture) => {
    await fixture.serve((tools) => [
      { name: 'site', limit: TEN },
      { name: 'slots', limit: concurrency({ limit: 3, lease: '30s' }) },
      { name: 'api', limit: 1, window: '1m', keyGenerator: headerReader(tools)('x-client') },
    ]);
    assert.deepEqual(await fixture.statuses(3, '/', { 'x-client': 'ann' }), [200, 429, 429]);
    assert.deepEqual(available(await fixture.get('/', { 'x-client': 'bob' })), { site: 8, slots: 2, api: 0 });
    await fixture.until(
      'the slots are free',
      async () => (await fixture.left(concurrency({ limit: 3, lease: '30s' }), 'slots', 'slots')) === 3,
    );
  },

  'states what is left of outer limits after their charges have come back, whatever the refusal': async (fixture) => {
    const lost = new FragileStore(fixture.clock, fixture.store.async);
    lost.failure = new Error('gone');
    const inner: Readonly<Record<string, AdapterOptions>> = {
      limit: { limit: 0, window: '1m', name: 'inner' },
      message: { limit: 0, window: '1m', name: 'inner', message: 'later' },
      draft: { limit: 0, window: '1m', name: 'inner', standardHeaders: false, legacyHeaders: false },
      key: { limit: TEN, name: 'inner', keyGenerator: () => undefined, onMissingKey: 401 },
      store: { limit: TEN, name: 'inner', store: lost, onStoreError: 'deny' },
    };
    await fixture.serve((tools) => [
      { name: 'site', limit: TEN, cost: 2 },
      { name: 'bucket', limit: tokenBucket({ name: 'bucket', capacity: 5, refillRate: 1 }) },
      ...Object.entries(inner).map(([path, options]) => ({
        ...options,
        name: path,
        skip: (...args: readonly unknown[]) => tools.requestOf(args).url !== `/${path}`,
      })),
    ]);
    const admitted = await fixture.get('/admitted');
    assert.deepEqual([admitted.status, available(admitted)], [200, { site: 8, bucket: 4 }]);
    for (const path of Object.keys(inner)) {
      const refused = await fixture.get(`/${path}`);
      const { [path]: _, ...outer } = available(refused);
      assert.notEqual(refused.status, 200);
      assert.deepEqual([path, outer], [path, { site: 8, bucket: 4 }]);
      const isStated = path === 'limit' || path === 'message';
      assert.deepEqual([path, refused.headers['x-ratelimit-remaining']], [path, isStated ? '0' : '4']);
    }
    assert.equal(await fixture.left(TEN, 'site', 'site'), 8);
  },

  'keeps what a policy has charged for the same request before, if it is asked again and refuses': async (fixture) => {
    const limit = slidingWindow({ limit: 3, window: '1m' });
    const api: AdapterOptions = { name: 'api', limit };
    await fixture.serve([api, api, api, api]);
    await recordedWarnings(async () => {
      // An adapter may ask a policy once for each request, however often it is listed.
      const statuses = await fixture.statuses(6);
      const admitted = statuses.indexOf(429);
      assert.ok(admitted >= 0 && admitted <= 3, `at most 3 are admitted, got ${statuses}`);
      assert.deepEqual(statuses.slice(admitted), Array(6 - admitted).fill(429));
    });
    assert.equal(await fixture.left(limit, 'api', 'api'), 0);
  },

  'states the limit of a policy that is asked again once, with what is left after all of it': async (fixture) => {
    const api: AdapterOptions = { name: 'api', limit: FIVE };
    await fixture.serve([{ name: 'site', limit: TEN }, api, api, api]);
    await recordedWarnings(async () => {
      const fields = limitFields(await fixture.get());
      const left = await fixture.left(FIVE, 'api', 'api');
      assert.deepEqual(fields, {
        'ratelimit-policy': '"site";q=10;w=60,"api";q=5;w=10',
        ratelimit: `"site";r=9;t=60,"api";r=${left};t=10`,
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': '10',
      });
    });
  },

  'does not ask inner policies if an outer one refuses': async (fixture) => {
    await fixture.serve([
      { name: 'site', limit: 1, window: '1m' },
      { name: 'api', limit: TEN },
    ]);
    await fixture.get();
    const refused = await fixture.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['site'], 60));
    assert.deepEqual(available(refused), { site: 0 });
    assert.equal(await fixture.left(TEN, 'api', 'api'), 9);
  },

  'gives back the charges of outer policies if an inner one denies the address': async (fixture) => {
    await fixture.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: TEN, denyList: ['127.0.0.1'] },
    ]);
    const denied = await fixture.get();
    assert.deepEqual([denied.status, available(denied)], [403, { site: 10 }]);
    assert.equal(await fixture.left(TEN, 'site', 'site'), 10);
  },

  'gives back the charges of outer policies if the store of an inner one fails and it denies': async (fixture) => {
    const lost = new FragileStore(fixture.clock, fixture.store.async);
    lost.failure = new Error('gone');
    await fixture.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: TEN, store: lost, onStoreError: 'deny' },
    ]);
    assert.equal((await fixture.get()).status, 503);
    assert.equal(await fixture.left(TEN, 'site', 'site'), 10);
  },

  'gives back the charges of outer policies if an inner one fails': async (fixture) => {
    await fixture.serve([
      { name: 'site', limit: TEN },
      { name: 'api', limit: TEN, keyGenerator: fail },
    ]);
    assert.equal((await fixture.get()).status, 500);
    assert.equal(await fixture.left(TEN, 'site', 'site'), 10);
  },

  'gives the handler the reservation of the last policy that counted': async (fixture) => {
    await fixture.serve(
      [
        { name: 'site', limit: TEN },
        { name: 'api', limit: FIVE },
        { name: 'skipped', limit: FIVE, skip: () => true },
      ],
      ({ rateLimit }) => ({ status: 200, body: String(rateLimit?.policy) }),
    );
    assert.equal((await fixture.get()).body, 'api');
  },
};
