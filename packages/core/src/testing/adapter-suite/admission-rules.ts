import assert from 'node:assert/strict';
import { unlimited } from '../../values/limit.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import type { Rules } from './stage.js';

const TWO = { limit: 2, window: '1m' } as const;

/** One limit, one client after the other. */
export const admissionRules: Rules = {
  'admits up to the limit and tells in every answer what is left': async (stage) => {
    await stage.serve([TWO]);
    for (const remaining of ['1', '0']) {
      const answer = await stage.get();
      assert.deepEqual([answer.status, answer.body], [200, 'ok']);
      assert.deepEqual(limitFields(answer), {
        'ratelimit-policy': '"per-1m";q=2;w=60',
        ratelimit: `"per-1m";r=${remaining};t=60`,
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': '60',
      });
    }
  },

  'refuses what is above the limit with 429, a problem and the time to wait, and does not run the handler': async (
    stage,
  ) => {
    await stage.serve([TWO]);
    await stage.statuses(2);
    stage.clock.advance('10s');
    const refused = await stage.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['per-1m'], 50));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"per-1m";q=2;w=60',
      ratelimit: '"per-1m";r=0;t=50',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '50',
      'retry-after': '50',
    });
    assert.equal(stage.handled.length, 2);
  },

  'admits again when Retry-After is over, and not a millisecond earlier': async (stage) => {
    await stage.serve([{ limit: 1, window: '1m' }]);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
    stage.clock.advance(59_999);
    assert.equal((await stage.get()).status, 429);
    stage.clock.advance(1);
    assert.equal((await stage.get()).status, 200);
  },

  'admits exactly the limit of requests that come at once': async (stage) => {
    await stage.serve([{ limit: 5, window: '1m' }]);
    const answers = await Promise.all(Array.from({ length: 12 }, () => stage.get()));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 7);
  },

  'counts all that an address asks for together, whatever the method and path': async (stage) => {
    await stage.serve([{ limit: 4, window: '1m' }]);
    const asked = [
      await stage.send('GET', '/a'),
      await stage.send('POST', '/b?c=d'),
      await stage.send('DELETE', '/'),
      await stage.send('PATCH', '/a'),
      await stage.send('PUT', '/e'),
    ];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 200, 200, 200, 429],
    );
    assert.deepEqual(
      stage.handled.map(({ method, path }) => `${method} ${path}`),
      ['GET /a', 'POST /b?c=d', 'DELETE /', 'PATCH /a'],
    );
  },

  'counts by what the keyGenerator reads of the request, and by the address where it finds nothing': async (stage) => {
    await stage.serve((tools) => [{ limit: 1, window: '1m', keyGenerator: headerReader(tools)('x-client') }]);
    assert.deepEqual(await stage.statuses(2, '/', { 'x-client': 'ann' }), [200, 429]);
    assert.deepEqual(await stage.statuses(2, '/', { 'x-client': 'bob' }), [200, 429]);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
  },

  'takes a compound key for missing when one of its parts is': async (stage) => {
    await stage.serve((tools) => {
      const header = headerReader(tools);
      return [{ limit: 1, window: '1m', keyGenerator: [header('x-user'), header('x-model')] }];
    });
    const ask = async (headers: Record<string, string>) => (await stage.get('/', headers)).status;
    assert.equal(await ask({ 'x-user': 'a', 'x-model': 'bc' }), 200);
    assert.equal(await ask({ 'x-user': 'ab', 'x-model': 'c' }), 200);
    assert.equal(await ask({ 'x-user': 'a', 'x-model': 'bc' }), 429);
    assert.equal(await ask({ 'x-user': 'a' }), 200);
    assert.equal(await ask({ 'x-user': 'b' }), 429);
  },

  'chooses the tier by the request, unlimited ones without a header': async (stage) => {
    await stage.serve((tools) => {
      const plan = headerReader(tools)('x-plan');
      const quotas: Record<string, number> = { free: 1, paid: 3 };
      return [
        {
          limits: [
            { name: 'plan', limit: (...args) => quotas[plan(...args) ?? ''] ?? 1, window: '1m' },
            { name: 'staff', limit: () => unlimited() },
          ],
        },
      ];
    });
    const paid = await stage.get('/', { 'x-plan': 'paid' });
    assert.equal(paid.headers['ratelimit-policy'], '"plan";q=3;w=60');
    assert.equal((await stage.get('/', { 'x-plan': 'free' })).status, 429);
    assert.equal((await stage.get('/', { 'x-plan': 'paid' })).status, 200);
  },

  'waits for callbacks that answer later': async (stage) => {
    await stage.serve((tools) => {
      const client = headerReader(tools)('x-client');
      return [
        {
          limit: async () => 4,
          window: '1m',
          cost: async () => 2,
          skip: async (...args) => client(...args) === 'probe',
          keyGenerator: async (...args) => client(...args),
        },
      ];
    });
    assert.deepEqual(await stage.statuses(3, '/', { 'x-client': 'ann' }), [200, 200, 429]);
    assert.deepEqual(await stage.statuses(1, '/', { 'x-client': 'bob' }), [200]);
    assert.deepEqual(await stage.statuses(5, '/', { 'x-client': 'probe' }), [200, 200, 200, 200, 200]);
  },

  'takes any thenable for a promise': async (stage) => {
    const later = <T>(value: T): Promise<T> => {
      // biome-ignore lint/suspicious/noThenProperty: the promises of other libraries are no more than this.
      const thenable = { then: (resolve: (value: T) => void) => void setImmediate(resolve, value) };
      return thenable as unknown as Promise<T>;
    };
    await stage.serve((tools) => {
      const client = headerReader(tools)('x-client');
      return [
        {
          limit: () => later(1),
          window: '1m',
          skip: () => later(false),
          cost: () => later(1),
          keyGenerator: (...args) => later(client(...args)),
        },
      ];
    });
    assert.deepEqual(await stage.statuses(2, '/', { 'x-client': 'ann' }), [200, 429]);
    assert.deepEqual(await stage.statuses(2, '/', { 'x-client': 'bob' }), [200, 429]);
  },
};
