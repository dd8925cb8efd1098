import { slidingWindow, tokenBucket } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './adapter-fixture.js';
import { limitFields } from './answer-fields.js';

const LEGACY = { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '60' };
const DRAFT_11 = { 'ratelimit-policy': '"per-1m";q=2;w=60', ratelimit: '"per-1m";r=1;t=60' };

/** The fields of the first of two requests a minute, by the options. */
const FIELDS: readonly [options: Partial<AdapterOptions>, fields: Record<string, string>][] = [
  [{ standardHeaders: true }, { ...DRAFT_11, ...LEGACY }],
  [{ standardHeaders: 'draft-11' }, { ...DRAFT_11, ...LEGACY }],
  [{ standardHeaders: 'draft-8' }, { ...DRAFT_11, ...LEGACY }],
  [
    { standardHeaders: 'draft-7', legacyHeaders: true },
    { 'ratelimit-policy': '2;w=60', ratelimit: 'limit=2, remaining=1, reset=60', ...LEGACY },
  ],
  [
    { standardHeaders: 'draft-6', legacyHeaders: false },
    { 'ratelimit-policy': '2;w=60', 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '60' },
  ],
  [{ standardHeaders: false }, LEGACY],
  [{ legacyHeaders: false }, DRAFT_11],
  [{ standardHeaders: false, legacyHeaders: false }, {}],
];

/** The choice of header fields. */
export const fieldRules: Rules = {
  ...Object.fromEntries(
    FIELDS.map(([options, fields]) => [
      `sends the fields of ${JSON.stringify(options)}`,
      async (fixture) => {
        await fixture.serve([{ limit: 2, window: '1m', ...options } as AdapterOptions]);
        assert.deepEqual(limitFields(await fixture.get()), fields);
      },
    ]),
  ),

  'sends Retry-After with a refusal, whichever fields are chosen': async (fixture) => {
    await fixture.serve([{ limit: 1, window: '1m', standardHeaders: false, legacyHeaders: false }]);
    await fixture.get();
    assert.deepEqual(limitFields(await fixture.get()), { 'retry-after': '60' });
  },

  'sends no Retry-After if the policy says so': async (fixture) => {
    await fixture.serve([{ limit: 1, window: '1m', standardHeaders: false, legacyHeaders: false, retryAfter: false }]);
    assert.deepEqual(await fixture.statuses(1), [200]);
    const refused = await fixture.get();
    assert.deepEqual([refused.status, limitFields(refused)], [429, {}]);
  },

  'states all limits in their order, and the tightest one in fields for a single limit': async (fixture) => {
    const limits = [
      slidingWindow({ name: 'daily', limit: 10, window: '1d' }),
      tokenBucket({ name: 'burst', capacity: 4, refillRate: 2 }),
    ];
    await fixture.serve([{ limits }]);
    assert.deepEqual(limitFields(await fixture.get()), {
      'ratelimit-policy': '"daily";q=10;w=86400,"burst";q=4;w=2',
      ratelimit: '"daily";r=9;t=86400,"burst";r=3;t=2',
      'x-ratelimit-limit': '4',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': '2',
    });
  },

  'escapes quoted names': async (fixture) => {
    await fixture.serve([{ name: 'a "b" \\c', limit: 2, window: '1m' }]);
    assert.equal((await fixture.get()).headers['ratelimit-policy'], '"a \\"b\\" \\\\c";q=2;w=60');
  },
};
