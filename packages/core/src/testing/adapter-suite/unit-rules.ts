import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { fixedWindow } from '../../algorithms/fixed-window.js';
import { unlimited } from '../../values/limit.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import type { Rules } from './stage.js';

const REQUESTS = { name: 'requests', limit: 10, window: '1m' } as const;
const BYTES = {
  limit: fixedWindow({ name: 'bytes', limit: 5000, window: '1m' }),
  cost: 100,
  quotaUnit: 'content-bytes',
};
const TOKENS = { limit: fixedWindow({ name: 'tokens', limit: 55, window: '1h' }), cost: 50, quotaUnit: 'tokens' };
const SLOTS = { name: 'slots', limit: concurrency({ limit: 3, lease: '30s' }) };

const LEGACY = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': '60' };

/** Limits that count something else than requests. */
export const unitRules: Rules = {
  'tells of units that the draft has a word for, and of no other; the legacy fields are about requests': async (
    stage,
  ) => {
    await stage.serve([{ limits: [TOKENS, BYTES, REQUESTS, SLOTS] }]);
    assert.deepEqual(limitFields(await stage.get()), {
      'ratelimit-policy':
        '"bytes";q=5000;qu="content-bytes";w=60,"requests";q=10;w=60,"slots";q=3;qu="concurrent-requests"',
      ratelimit: '"bytes";r=4900;t=60,"requests";r=9;t=60,"slots";r=2;t=1',
      ...LEGACY,
    });
  },

  'refuses by a limit in other units all the same, names it, and has Retry-After wait for it': async (stage) => {
    await stage.serve([{ limits: [TOKENS, REQUESTS] }]);
    await stage.get();
    const refused = await stage.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['tokens'], 3600));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"requests";q=10;w=60',
      ratelimit: '"requests";r=9;t=60',
      ...LEGACY,
      'retry-after': '3600',
    });
  },

  'sends no legacy fields where no limit counts requests, and no field where the draft knows no unit': async (
    stage,
  ) => {
    await stage.serve((tools) => [
      { limits: [BYTES, SLOTS], skip: (...args) => tools.requestOf(args).url !== '/bytes' },
      { name: 'tokens', limits: [TOKENS], skip: (...args) => tools.requestOf(args).url === '/bytes' },
    ]);
    assert.deepEqual(limitFields(await stage.get('/bytes')), {
      'ratelimit-policy': '"bytes";q=5000;qu="content-bytes";w=60,"slots";q=3;qu="concurrent-requests"',
      ratelimit: '"bytes";r=4900;t=60,"slots";r=2;t=1',
    });
    assert.deepEqual(limitFields(await stage.get()), {});
    assert.deepEqual(limitFields(await stage.get()), { 'retry-after': '3600' });
  },

  'tells by the drafts that have no word for a unit of requests alone': async (stage) => {
    await stage.serve((tools) => {
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
    assert.deepEqual(limitFields(await stage.get('/draft-7')), {
      ...policy,
      ratelimit: 'limit=10, remaining=9, reset=60',
    });
    assert.deepEqual(limitFields(await stage.get('/draft-6')), {
      ...policy,
      'ratelimit-limit': '10',
      'ratelimit-remaining': '9',
      'ratelimit-reset': '60',
    });
  },

  'tells of the tightest limit in requests of a whole chain': async (stage) => {
    await stage.serve([
      { name: 'site', limits: [REQUESTS] },
      { name: 'model', limits: [TOKENS, fixedWindow({ name: 'requests', limit: 90, window: '1m' })] },
    ]);
    assert.deepEqual(limitFields(await stage.get()), {
      'ratelimit-policy': '"requests";q=10;w=60,"model:requests";q=90;w=60',
      ratelimit: '"requests";r=9;t=60,"model:requests";r=89;t=60',
      ...LEGACY,
    });
  },

  'says in verdicts what a unit is, where it is not a request': async (stage) => {
    const tier = { name: 'tier', limit: () => unlimited(), quotaUnit: 'tokens' };
    await stage.serve([{ limits: [TOKENS, REQUESTS, SLOTS, tier] }], ({ rateLimit }) => ({
      status: 200,
      body: JSON.stringify(rateLimit?.verdicts.map(({ quotaUnit = '' }) => quotaUnit)),
    }));
    assert.equal((await stage.get()).body, '["tokens","","",""]');
  },
};
