import assert from 'node:assert/strict';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { available, limitFields, ownAnswer, problem, quotaExceeded } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import type { Rules } from './stage.js';

const TEN = slidingWindow({ limit: 10, window: '1m' });

/** Requests that cost more than one unit, or none. */
export const costRules: Rules = {
  'spends what a request costs': async (stage) => {
    await stage.serve((tools) => {
      const units = headerReader(tools)('x-units');
      return [{ limit: TEN, cost: (...args) => Number(units(...args)) }];
    });
    assert.equal((await stage.get('/', { 'x-units': '7' })).headers.ratelimit, '"per-1m";r=3;t=60');
    const refused = await stage.get('/', { 'x-units': '4' });
    assert.deepEqual([refused.status, available(refused)], [429, { 'per-1m': 0 }]);
    assert.equal((await stage.get('/', { 'x-units': '3' })).status, 200);
  },

  'lets a request of cost 0 pass where nothing is left': async (stage) => {
    await stage.serve((tools) => {
      const units = headerReader(tools)('x-units');
      return [{ limit: 1, window: '1m', cost: (...args) => Number(units(...args)) }];
    });
    await stage.get('/', { 'x-units': '1' });
    const free = await stage.get('/', { 'x-units': '0' });
    assert.deepEqual([free.status, free.headers.ratelimit], [200, '"per-1m";r=0;t=60']);
    assert.equal((await stage.get('/', { 'x-units': '1' })).status, 429);
  },

  'charges each limit its own cost, and all of them or none': async (stage) => {
    await stage.serve([
      {
        cost: 4,
        limits: [
          { name: 'requests', limit: 5, window: '1m', cost: 1 },
          { name: 'units', limit: 10, window: '1m' },
        ],
      },
    ]);
    assert.deepEqual(available(await stage.get()), { requests: 4, units: 6 });
    assert.deepEqual(available(await stage.get()), { requests: 3, units: 2 });
    const refused = await stage.get();
    assert.deepEqual(available(refused), { requests: 3, units: 0 });
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['units'], 60));
    assert.equal(await stage.left(slidingWindow({ limit: 5, window: '1m' }), 'requests'), 3);
  },

  'names every limit that refuses, and the longest time to wait': async (stage) => {
    const limits = [
      slidingWindow({ name: 'day', limit: 3, window: '1d' }),
      slidingWindow({ name: 'minute', limit: 1, window: '1m' }),
      slidingWindow({ name: 'second', limit: 1, window: '10s' }),
    ];
    await stage.serve([{ limits }]);
    await stage.get();
    const refused = await stage.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['minute', 'second'], 60));
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal(refused.headers['x-ratelimit-reset'], '60');
  },

  'tells one who asks for more than there can ever be that waiting does not help': async (stage) => {
    await stage.serve([{ limit: TEN, cost: 11 }]);
    const refused = await stage.get();
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

  'lets the handler settle what the request has really cost': async (stage) => {
    await stage.serve([{ limit: TEN }], async ({ path, rateLimit }) => {
      if (path === '/dear') await rateLimit?.settle(4);
      if (path === '/never') await rateLimit?.cancel();
      return { status: 200, body: `${rateLimit?.policy} ${rateLimit?.tightest.remaining}` };
    });
    assert.equal((await stage.get('/dear')).body, 'default 9');
    assert.equal((await stage.get('/never')).body, 'default 5');
    assert.equal((await stage.get('/')).body, 'default 5');
  },
};
