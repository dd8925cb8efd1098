import { concurrency, fixedWindow, unlimited } from '@sluice/core';
import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';

const REQUESTS = { name: 'requests', limit: 10, window: '1m' } as const;
const BYTES = {
  limit: fixedWindow({ name: 'bytes', limit: 5000, window: '1m' }),
  cost: 100,
  quotaUnit: 'content-bytes',
};
const TOKENS = { limit: fixedWindow({ name: 'tokens', limit: 55, window: '1h' }), cost: 50, quotaUnit: 'tokens' };
const SLOTS = { name: 'slots', limit: concurrency({ limit: 3, lease: '30s' }) };

const LEGACY = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '60' };

/** Limits with units other than requests. */
export const unitRules: Rules = {
  'states units that the draft knows, and no other ones; the legacy fields are about requests': async (fixture) => {
    await fixture.serve([{ limits: [TOKENS, BYTES, REQUESTS, SLOTS] }]);
    assert.deepEqual(limitFields(await fixture.get()), {
      'ratelimit-policy':
        '"bytes";q=5000;qu="content-bytes";w=60,"requests";q=10;w=60,"slots";q=3;qu="concurrent-requests"',
      ratelimit: '"bytes";r=4900;t=60,"requests";r=9;t=60,"slots";r=2;t=1',
      ...LEGACY,
    });
  },

  'also refuses because of a limit in other units, names it, and uses it for Retry-After': async (fixture) => {
    await fixture.serve([{ limits: [TOKENS, REQUESTS] }]);
    await fixture.get();
    const refused = await fixture.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['tokens'], 3600));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"requests";q=10;w=60',
      ratelimit: '"requests";r=9;t=60',
      ...LEGACY,
      'retry-after': '3600',
    });
  },

  'sends no legacy fields if no limit counts requests, and no field if the draft does not know the unit': async (
    fixture,
  ) => {
    await fixture.serve((tools) => [
      { limits: [BYTES, SLOTS], skip: (...args) => tools.requestOf(args).url !== '/bytes' },
      { name: 'tokens', limits: [TOKENS], skip: (...args) => tools.requestOf(args).url === '/bytes' },
    ]);
    assert.deepEqual(limitFields(await fixture.get('/bytes')), {
      'ratelimit-policy': '"bytes";q=5000;qu="content-bytes";w=60,"slots";q=3;qu="concurrent-requests"',
      ratelimit: '"bytes";r=4900;t=60,"slots";r=2;t=1',
    });
    assert.deepEqual(limitFields(await fixture.get()), {});
    assert.deepEqual(limitFields(await fixture.get()), { 'retry-after': '3600' });
  },

  'states only requests in the fields of drafts that know no units': async (fixture) => {
    await fixture.serve((tools) => {
      const asks =
        (draft: string) =>
        (...args: readonly unknown[]) =>
          tools.requestOf(args).url !== `/${draft}`;
      return (['draft-6', 'draft-7'] as const).map((standardHeaders) => ({
        name: standardHeaders,
        limits: [TOKENS, BYTES, REQUESTS, SLOTS],
        standardHeaders,
        legacyHeaders: false,
        skip: asks(standardHeaders),
      }));
    });
    const policy = { 'ratelimit-policy': '10;w=60' };
    assert.deepEqual(limitFields(await fixture.get('/draft-7')), {
      ...policy,
      ratelimit: 'limit=10, remaining=9, reset=60',
    });
    assert.deepEqual(limitFields(await fixture.get('/draft-6')), {
      ...policy,
      'ratelimit-limit': '10',
      'ratelimit-remaining': '9',
      'ratelimit-reset': '60',
    });
  },

  'states the tightest limit in requests of several policies': async (fixture) => {
    await fixture.serve([
      { name: 'site', limits: [REQUESTS] },
      { name: 'model', limits: [TOKENS, fixedWindow({ name: 'requests', limit: 90, window: '1m' })] },
    ]);
    assert.deepEqual(limitFields(await fixture.get()), {
      'ratelimit-policy': '"requests";q=10;w=60,"model:requests";q=90;w=60',
      ratelimit: '"requests";r=9;t=60,"model:requests";r=89;t=60',
      ...LEGACY,
    });
  },

  'states in verdicts what a unit is, if it is not a request': async (fixture) => {
    const tier = { name: 'tier', limit: () => unlimited(), quotaUnit: 'tokens' };
    await fixture.serve([{ limits: [TOKENS, REQUESTS, SLOTS, tier] }], ({ rateLimit }) => ({
      status: 200,
      body: JSON.stringify(rateLimit?.verdicts.map(({ quotaUnit = '' }) => quotaUnit)),
    }));
    assert.equal((await fixture.get()).body, '["tokens","","",""]');
  },
};
