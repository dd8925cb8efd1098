import { replacePolicy, slidingWindow, unlimited } from '@sluice/core';
import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import { nextTurn } from './next-turn.js';

const TWO = { limit: 2, window: '1m' } as const;

/** One limit, and one client after the other. */
export const admissionRules: Rules = {
  'decides by a policy that replaces the first while it serves, and keeps what was spent': async (fixture) => {
    await fixture.serve([{ name: 'api', limit: 2, window: '1m', message: 'too many' }]);
    assert.deepEqual(await fixture.statuses(3), [200, 200, 429]);
    const [options = {}] = fixture.served;
    replacePolicy(options, { limit: 4, window: '1m' });
    const answer = await fixture.get();
    assert.deepEqual(
      [answer.status, answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']],
      [200, '4', '1'],
    );
    replacePolicy(options, { limits: [{ name: 'api', limit: 1, window: '1m' }], skip: () => false });
    const refused = await fixture.get();
    assert.deepEqual([refused.status, refused.body], [429, 'too many']);
    replacePolicy(options, { limit: 1, window: '1m', skip: () => true });
    assert.deepEqual(await fixture.statuses(2), [200, 200]);
  },

  'answers each request by the old policy or the new one wholly, while one replaces the other': async (fixture) => {
    const tight = { limits: [{ name: 'api', limit: 2, window: '1m' }] } as const;
    const wide = {
      limits: [{ name: 'api', limit: 30, window: '1m' }, slidingWindow({ limit: 90, window: '1d' })],
    } as const;
    await fixture.serve([{ name: 'api', ...tight, statusCode: 503, message: 'too many' }]);
    const [options = {}] = fixture.served;
    const pending: ReturnType<typeof fixture.get>[] = [];
    for (let swap = 0; swap < 10; swap += 1) {
      for (let i = 0; i < 4; i += 1) pending.push(fixture.get());
      replacePolicy(options, swap % 2 === 0 ? wide : tight);
      await pending.at(-1);
    }
    const answers = await Promise.all(pending);
    const seen = new Set(
      answers.map(({ headers }) => [headers['ratelimit-policy'], headers['x-ratelimit-limit']].join()),
    );
    assert.deepEqual([...seen].sort(), ['"api";q=2;w=60,2', '"api";q=30;w=60,"per-1d";q=90;w=86400,30']);
    const admitted = answers.filter(({ status }) => status === 200);
    assert.ok(admitted.length <= 30, `${admitted.length} requests were admitted`);
    for (const { status, body } of answers)
      assert.equal(`${status} ${body}`, status === 200 ? '200 ok' : '503 too many');
  },

  'admits up to the limit, and states the remaining units in every response': async (fixture) => {
    await fixture.serve([TWO]);
    for (const remaining of ['1', '0']) {
      const answer = await fixture.get();
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

  'refuses requests above the limit with 429, a problem and the time to wait, and does not run the handler': async (
    fixture,
  ) => {
    await fixture.serve([TWO]);
    await fixture.statuses(2);
    fixture.clock.advance('10s');
    const refused = await fixture.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['per-1m'], 50));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"per-1m";q=2;w=60',
      ratelimit: '"per-1m";r=0;t=50',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '50',
      'retry-after': '50',
    });
    assert.equal(fixture.handled.length, 2);
  },

  'admits again after Retry-After, and not a millisecond earlier': async (fixture) => {
    await fixture.serve([{ limit: 1, window: '1m' }]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
    fixture.clock.advance(59_999);
    assert.equal((await fixture.get()).status, 429);
    fixture.clock.advance(1);
    assert.equal((await fixture.get()).status, 200);
  },

  'admits exactly the limit of simultaneous requests': async (fixture) => {
    await fixture.serve([{ limit: 5, window: '1m' }]);
    const answers = await Promise.all(Array.from({ length: 12 }, () => fixture.get()));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(answers.filter(({ status }) => status === 429).length, 7);
  },

  'counts all requests of an address together, whatever the method and path': async (fixture) => {
    await fixture.serve([{ limit: 4, window: '1m' }]);
    const asked = [
      await fixture.send('GET', '/a'),
      await fixture.send('POST', '/b?c=d'),
      await fixture.send('DELETE', '/'),
      await fixture.send('PATCH', '/a'),
      await fixture.send('PUT', '/e'),
    ];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 200, 200, 200, 429],
    );
    assert.deepEqual(
      fixture.handled.map(({ method, path }) => `${method} ${path}`),
      ['GET /a', 'POST /b?c=d', 'DELETE /', 'PATCH /a'],
    );
  },

  'counts by the key of the keyGenerator, and by the address if there is none': async (fixture) => {
    await fixture.serve((tools) => [{ limit: 1, window: '1m', keyGenerator: headerReader(tools)('x-client') }]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-client': 'ann' }), [200, 429]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-client': 'bob' }), [200, 429]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
  },

  'treats a compound key as missing if one of its parts is missing': async (fixture) => {
    await fixture.serve((tools) => {
      const header = headerReader(tools);
      return [{ limit: 1, window: '1m', keyGenerator: [header('x-user'), header('x-model')] }];
    });
    const ask = async (headers: Record<string, string>) => (await fixture.get('/', headers)).status;
    assert.equal(await ask({ 'x-user': 'a', 'x-model': 'bc' }), 200);
    assert.equal(await ask({ 'x-user': 'ab', 'x-model': 'c' }), 200);
    assert.equal(await ask({ 'x-user': 'a', 'x-model': 'bc' }), 429);
    assert.equal(await ask({ 'x-user': 'a' }), 200);
    assert.equal(await ask({ 'x-user': 'b' }), 429);
  },

  'chooses the tier by the request, and sends no header for an unlimited tier': async (fixture) => {
    await fixture.serve((tools) => {
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
    const paid = await fixture.get('/', { 'x-plan': 'paid' });
    assert.equal(paid.headers['ratelimit-policy'], '"plan";q=3;w=60');
    assert.equal((await fixture.get('/', { 'x-plan': 'free' })).status, 429);
    assert.equal((await fixture.get('/', { 'x-plan': 'paid' })).status, 200);
  },

  'waits for callbacks that return promises': async (fixture) => {
    await fixture.serve((tools) => {
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
    assert.deepEqual(await fixture.statuses(3, '/', { 'x-client': 'ann' }), [200, 200, 429]);
    assert.deepEqual(await fixture.statuses(1, '/', { 'x-client': 'bob' }), [200]);
    assert.deepEqual(await fixture.statuses(5, '/', { 'x-client': 'probe' }), [200, 200, 200, 200, 200]);
  },

  'treats any thenable as a promise': async (fixture) => {
    const later = <T>(value: T): Promise<T> => {
      // biome-ignore lint/suspicious/noThenProperty: the promises of other libraries are no more than this.
      const thenable = { then: (resolve: (value: T) => void) => void nextTurn().then(() => resolve(value)) };
      return thenable as unknown as Promise<T>;
    };
    await fixture.serve((tools) => {
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
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-client': 'ann' }), [200, 429]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-client': 'bob' }), [200, 429]);
  },
};
