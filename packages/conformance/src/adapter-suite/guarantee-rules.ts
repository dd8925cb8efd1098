import { everyone } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions, AdapterTools } from './adapter-app.js';
import type { AdapterFixture, Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { headerReader } from './header-reader.js';

/** Ten requests a minute, of which three are ann's, and five are guaranteed in all. */
const shared =
  (own: AdapterOptions | object = {}) =>
  (tools: AdapterTools): readonly AdapterOptions[] => {
    const tenant = headerReader(tools)('x-tenant');
    const guarantee = {
      limit: (...args: readonly unknown[]) => (tenant(...args) === 'ann' ? 3 : 0),
      keyGenerator: tenant,
      total: 5,
    };
    return [{ limit: 10, window: '1m', keyGenerator: everyone(), guarantee, ...own } as AdapterOptions];
  };

const as = (tenant: string): Record<string, string> => ({ 'x-tenant': tenant });

async function takeTheRest(fixture: AdapterFixture): Promise<void> {
  for (let i = 0; i < 5; i += 1) assert.equal((await fixture.get('/', as('eve'))).status, 200);
}

/** A limit of which parts are guaranteed to tenants. */
export const guaranteeRules: Rules = {
  'states what the tenant can get, under the name of the limit': async (fixture) => {
    await fixture.serve(shared());
    assert.deepEqual(limitFields(await fixture.get('/', as('ann'))), {
      'ratelimit-policy': '"per-1m";q=10;w=60',
      ratelimit: '"per-1m";r=5;t=60',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '5',
      'x-ratelimit-reset': '60',
    });
    await takeTheRest(fixture);
    assert.deepEqual(available(await fixture.get('/', as('ann'))), { 'per-1m': 1 });
  },

  'refuses whoever has no part left, and nobody else': async (fixture) => {
    await fixture.serve(shared());
    await takeTheRest(fixture);
    for (const headers of [as('eve'), {}]) {
      const refused = await fixture.get('/', headers);
      assert.deepEqual(ownAnswer(refused), quotaExceeded(['per-1m'], 60));
      assert.deepEqual([refused.headers['retry-after'], refused.headers.ratelimit], ['60', '"per-1m";r=0;t=60']);
    }
    assert.equal((await fixture.get('/', as('ann'))).status, 200);
  },

  'gives a failed request back to the part of its tenant': async (fixture) => {
    await fixture.serve(shared({ skipFailedRequests: true }), ({ path }) => ({
      status: Number(path.slice(1)),
      body: '',
    }));
    for (let i = 0; i < 5; i += 1) await fixture.get('/200', as('eve'));
    await fixture.get('/500', as('ann'));
    await fixture.until('the charge is given back', async () => {
      const refused = await fixture.get('/500', as('ann'));
      return refused.status === 500 && available(refused)['per-1m'] === 2;
    });
  },
};
