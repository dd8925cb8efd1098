import { concurrency, type Decision, slidingWindow } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import * as assert from '../assert.js';
import type { AdapterOptions } from './adapter-app.js';
import type { Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, problem, quotaExceeded } from './answer-fields.js';
import { headerReader } from './header-reader.js';

const TEN = slidingWindow({ name: 'units', limit: 10, window: '1m' });
const SITE = slidingWindow({ name: 'site', limit: 10, window: '1m' });
const SLOT = concurrency({ limit: 1, lease: '30s' });

/** A limit that people think of as a budget, and one that is soon fresh again. */
const LIMITS = [
  { name: 'minute', limit: 2, window: '1m' },
  { name: 'month', limit: 3, window: '30d' },
] as const;

const decisionOf = (args: readonly unknown[]): Decision => args.at(-1) as Decision;
const isBudget = (args: readonly unknown[]): boolean => decisionOf(args).tightest.name === 'month';

/** In Nest, the outer policy inherits the hooks of the inner one. */
const isInner = (args: readonly unknown[]): boolean => decisionOf(args).policy !== 'outer';

const later = async <T>(value: T): Promise<T> => value;

/** Refusals that depend on the decision or on the request, and policies that decide once more. */
export const refusalChoiceRules: Rules = {
  ...Object.fromEntries(
    [
      ['at once', <T>(value: T): T => value],
      ['as a promise', later],
    ].map(([how, give]) => [
      `chooses the status and Retry-After by the limit that refused, ${how as string}`,
      async (fixture) => {
        const answer = give as typeof later;
        await fixture.serve([
          {
            limits: LIMITS,
            statusCode: (...args) => answer(isBudget(args) ? 402 : 429),
            retryAfter: (...args) => answer(!isBudget(args)),
          },
        ]);
        await fixture.statuses(2);
        const soon = await fixture.get();
        assert.deepEqual(ownAnswer(soon), quotaExceeded(['minute'], 60));
        assert.equal(limitFields(soon)['retry-after'], '60');
        fixture.clock.advance('2m');
        await fixture.get();
        const used = await fixture.get();
        assert.deepEqual([used.status, limitFields(used)['retry-after']], [402, undefined]);
        assert.deepEqual(available(used), { minute: 1, month: 0 });
      },
    ]),
  ),

  'adds members to the problem, and replaces its title and detail': async (fixture) => {
    const members = (...args: readonly unknown[]) => {
      const { used, limit } = decisionOf(args).tightest;
      return { detail: 'Wait.', title: 'Slow', used, of: limit.quota, instance: undefined };
    };
    await fixture.serve([{ limit: 1, window: '1m', problem: members }]);
    await fixture.get();
    const type = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
    const body = { type, title: 'Slow', status: 429, detail: 'Wait.', 'violated-policies': ['per-1m'], used: 1, of: 1 };
    assert.deepEqual(ownAnswer(await fixture.get()), problem(429, JSON.stringify(body)));
  },

  'adds a record of members to the problem of a failed store': async (fixture) => {
    await fixture.serve([{ limit: 1, window: '1m', onStoreError: 'deny', problem: { error: { code: 'busy' } } }]);
    fixture.store.failure = new Error('the connection is lost');
    const { status, body } = await fixture.get();
    assert.deepEqual([status, JSON.parse(body).error], [503, { code: 'busy' }]);
  },

  ...Object.fromEntries(
    Object.entries({
      'a statusCode that gives no status': { statusCode: () => 200 },
      'a statusCode that throws': { statusCode: () => assert.fail('down') },
      'a retryAfter that gives text': { retryAfter: () => 'no' },
      'a retryAfter that rejects': { retryAfter: async () => assert.fail('down') },
      'a problem that gives text': { problem: () => 'text' },
      'a problem that replaces the type': { problem: () => ({ type: 'about:blank' }) },
      'a problem that cannot be written': { problem: () => ({ units: 1n }) },
      'a reconsider that throws': { reconsider: () => assert.fail('down') },
      'a reconsider that rejects': { reconsider: async () => assert.fail('down') },
    }).map(([what, options]) => [
      `treats ${what} as an error, and gives back the charges of outer policies`,
      async (fixture) => {
        await fixture.serve([{ name: 'outer', limit: SITE }, { limit: 1, window: '1m', ...options } as AdapterOptions]);
        assert.deepEqual(await fixture.statuses(3), [200, 500, 500]);
        assert.equal(await fixture.left(SITE, 'site', 'outer'), 9);
      },
    ]),
  ),

  ...Object.fromEntries(
    ['limit', 'keyGenerator', 'partition', 'cost', 'skip'].map((option) => [
      `refuses a request with the HttpRefusal that ${option} throws, asks no limit, and gives back outer charges`,
      async (fixture) => {
        let calls = 0;
        const call = (...args: readonly unknown[]) => {
          if (isInner(args)) calls += 1;
        };
        await fixture.serve((tools) => {
          const refuse = (...args: readonly unknown[]) => {
            if (tools.requestOf(args).url === '/later') return later(undefined).then(() => refuseNow());
            return refuseNow();
          };
          const refuseNow = (): never => {
            throw new HttpRefusal(422, { detail: 'units must be whole', members: { units: 'a' } });
          };
          const inner = { limit: TEN, [option]: refuse, onDecision: call, onLimitReached: call, message: 'no' };
          return [{ name: 'outer', limit: SITE }, inner as AdapterOptions];
        });
        const problemMembers = { type: 'about:blank', title: 'Unprocessable Entity', status: 422 };
        const body = JSON.stringify({ ...problemMembers, detail: 'units must be whole', units: 'a' });
        for (const path of ['/', '/later']) {
          const answer = await fixture.get(path);
          assert.deepEqual(ownAnswer(answer), problem(422, body));
          assert.equal(limitFields(answer)['retry-after'], undefined);
        }
        assert.deepEqual([calls, fixture.handled.length], [0, 0]);
        assert.equal(await fixture.left(SITE, 'site', 'outer'), 10);
        assert.equal(await fixture.left(TEN, 'units'), 10);
      },
    ]),
  ),

  'decides once more about a request that was made cheaper, and tells the last decision alone': async (fixture) => {
    const notified: [allowed: boolean, cost: number][] = [];
    await fixture.serve((tools) => {
      const costs = new WeakMap<object, number>();
      const costOf = (args: readonly unknown[]): number =>
        costs.get(args[0] as object) ?? Number(headerReader(tools)('x-units')(...args));
      return [
        { name: 'outer', limit: SITE, cost: 1 },
        {
          limits: [TEN, SLOT],
          cost: (...args) => costOf(args),
          reconsider: (...args) => {
            const cheaper = Math.floor(costOf(args) / 2);
            costs.set(args[0] as object, cheaper);
            return tools.requestOf(args).url === '/later' ? later(cheaper > 0) : cheaper > 0;
          },
          onDecision: (...args) => {
            const { allowed, tightest } = decisionOf(args);
            if (isInner(args)) notified.push([allowed, tightest.cost]);
          },
        },
      ];
    });
    const admitted = await fixture.get('/', { 'x-units': '24' });
    assert.equal(admitted.status, 200);
    assert.deepEqual(available(admitted), { site: 9, units: 4, concurrency: 0 });
    assert.equal(fixture.handled[0]?.rateLimit?.verdicts[0]?.cost, 6);
    await fixture.until('the slot is free', async () => (await fixture.left(SLOT, 'concurrency')) === 1);
    assert.equal((await fixture.get('/later', { 'x-units': '8' })).status, 200);
    await fixture.until('the slot is free', async () => (await fixture.left(SLOT, 'concurrency')) === 1);
    const refused = await fixture.get('/later', { 'x-units': '8' });
    assert.equal(refused.status, 429);
    assert.deepEqual(available(refused), { site: 8, units: 0, concurrency: 1 });
    assert.equal(await fixture.left(SITE, 'site', 'outer'), 8);
    assert.equal(await fixture.left(SLOT, 'concurrency'), 1);
    assert.deepEqual(notified.slice(0, 2), [
      [true, 1],
      [true, 4],
    ]);
    assert.equal(notified.length, 3);
  },

  'asks reconsider at most 16 times, and not if the store failed': async (fixture) => {
    let asked = 0;
    const reconsider = () => {
      asked += 1;
      return true;
    };
    await fixture.serve([{ limit: 0, window: '1m', onStoreError: 'deny', reconsider }]);
    assert.equal((await fixture.get()).status, 429);
    assert.equal(asked, 16);
    fixture.store.failure = new Error('the connection is lost');
    assert.equal((await fixture.get()).status, 503);
    assert.equal(asked, 16);
  },

  'counts apart by the partition of a request, beside the key of the policy': async (fixture) => {
    await fixture.serve((tools) => [
      {
        limits: [
          { name: 'all', limit: 3, window: '1m' },
          { name: 'model', limit: 1, window: '1m', partition: headerReader(tools)('x-model') },
        ],
      },
    ]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-model': 'a' }), [200, 429]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-model': 'b' }), [200, 429]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
    assert.deepEqual(await fixture.statuses(1, '/', { 'x-model': 'c' }), [429]);
  },
};
