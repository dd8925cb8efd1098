import { slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, problem, quotaExceeded } from './answer-fields.js';
import { headerReader } from './header-reader.js';

const TEN = slidingWindow({ limit: 10, window: '1m' });

/** Requests that cost more than one unit, or nothing. */
export const costRules: Rules = {
  'spends the cost of a request': async (fixture) => {
    await fixture.serve((tools) => {
      const units = headerReader(tools)('x-units');
      return [{ limit: TEN, cost: (...args) => Number(units(...args)) }];
    });
    assert.equal((await fixture.get('/', { 'x-units': '7' })).headers.ratelimit, '"per-1m";r=3;t=60');
    const refused = await fixture.get('/', { 'x-units': '4' });
    assert.deepEqual([refused.status, available(refused)], [429, { 'per-1m': 0 }]);
    assert.equal((await fixture.get('/', { 'x-units': '3' })).status, 200);
  },

  'allows a request of cost 0 if nothing remains': async (fixture) => {
    await fixture.serve((tools) => {
      const units = headerReader(tools)('x-units');
      return [{ limit: 1, window: '1m', cost: (...args) => Number(units(...args)) }];
    });
    await fixture.get('/', { 'x-units': '1' });
    const free = await fixture.get('/', { 'x-units': '0' });
    assert.deepEqual([free.status, free.headers.ratelimit], [200, '"per-1m";r=0;t=60']);
    assert.equal((await fixture.get('/', { 'x-units': '1' })).status, 429);
  },

  'charges each limit its own cost, and all limits or none': async (fixture) => {
    await fixture.serve([
      {
        cost: 4,
        limits: [
          { name: 'requests', limit: 5, window: '1m', cost: 1 },
          { name: 'units', limit: 10, window: '1m' },
        ],
      },
    ]);
    assert.deepEqual(available(await fixture.get()), { requests: 4, units: 6 });
    assert.deepEqual(available(await fixture.get()), { requests: 3, units: 2 });
    const refused = await fixture.get();
    assert.deepEqual(available(refused), { requests: 3, units: 0 });
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['units'], 60));
    assert.equal(await fixture.left(slidingWindow({ limit: 5, window: '1m' }), 'requests'), 3);
  },

  'names every limit that refuses, and states the longest wait': async (fixture) => {
    const limits = [
      slidingWindow({ name: 'day', limit: 3, window: '1d' }),
      slidingWindow({ name: 'minute', limit: 1, window: '1m' }),
      slidingWindow({ name: 'second', limit: 1, window: '10s' }),
    ];
    await fixture.serve([{ limits }]);
    await fixture.get();
    const refused = await fixture.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['minute', 'second'], 60));
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal(refused.headers['x-ratelimit-reset'], '60');
  },

  'says that waiting does not help if the cost exceeds the limit': async (fixture) => {
    await fixture.serve([{ limit: TEN, cost: 11 }]);
    const refused = await fixture.get();
    const body =
      '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,' +
      '"detail":"This request can never fit in what is left; waiting does not help.","violated-policies":["per-1m"]}';
    assert.deepEqual(ownAnswer(refused), problem(429, body));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"per-1m";q=10;w=60',
      ratelimit: '"per-1m";r=0',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
    });
  },

  'lets the handler settle the real cost of the request': async (fixture) => {
    await fixture.serve([{ limit: TEN }], async ({ path, rateLimit }) => {
      if (path === '/dear') await rateLimit?.settle(4);
      if (path === '/never') await rateLimit?.cancel();
      return { status: 200, body: `${rateLimit?.policy} ${rateLimit?.tightest.remaining}` };
    });
    assert.equal((await fixture.get('/dear')).body, 'default 9');
    assert.equal((await fixture.get('/never')).body, 'default 5');
    assert.equal((await fixture.get('/')).body, 'default 5');
  },
};
