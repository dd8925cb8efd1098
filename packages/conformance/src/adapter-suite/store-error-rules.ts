import { concurrency, type Decision, slidingWindow, subscribe } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterFixture, Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, problem } from './answer-fields.js';
import { HeldHandler } from './held-handler.js';

const TWO = { limit: 2, window: '1m' } as const;

const REDUCED_CAPACITY = problem(
  503,
  '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity",' +
    '"status":503,"detail":"The service cannot answer this request at the moment. Try again soon."}',
);

const lose = ({ store }: AdapterFixture): void => {
  store.failure = new Error('the connection is lost');
};

/** A store that fails. */
export const storeErrorRules: Rules = {
  "counts in the process by default, with onStoreError 'local'": async (fixture) => {
    await fixture.serve([TWO], ({ rateLimit }) => ({ status: 200, body: String(rateLimit?.source) }));
    assert.equal((await fixture.get()).body, 'store');
    lose(fixture);
    const local = await fixture.get();
    assert.deepEqual([local.body, available(local)], ['local', { 'per-1m': 1 }]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
    fixture.store.failure = undefined;
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
  },

  "admits, and states no numbers, with onStoreError 'allow'": async (fixture) => {
    await fixture.serve([{ ...TWO, onStoreError: 'allow' }], ({ rateLimit }) => ({
      status: 200,
      body: String(rateLimit?.source),
    }));
    lose(fixture);
    for (let i = 0; i < 4; i += 1) {
      const answer = await fixture.get();
      assert.deepEqual([answer.status, answer.body, limitFields(answer)], [200, 'allow', {}]);
    }
  },

  "responds with 503, and states no numbers, with onStoreError 'deny'": async (fixture) => {
    await fixture.serve([{ ...TWO, onStoreError: 'deny', statusCode: 420 }]);
    lose(fixture);
    const denied = await fixture.get();
    assert.deepEqual(ownAnswer(denied), REDUCED_CAPACITY);
    assert.deepEqual(limitFields(denied), { 'retry-after': '1' });
    assert.equal(fixture.handled.length, 0);
    fixture.store.failure = undefined;
    assert.deepEqual(await fixture.statuses(3), [200, 200, 420]);
  },

  'reports a 503 in the event sluice:store-error and to onDecision, and calls onLimitReached only if a limit refused':
    async (fixture) => {
      const notified: string[] = [];
      const onLimitReached = () => {
        notified.push('limit reached');
      };
      const onDecision = (...args: readonly unknown[]) => {
        const { allowed, source } = args.at(-1) as Decision;
        if (!allowed) notified.push(`refused by ${source}`);
      };
      // By its name, an event of an earlier test that comes late is not taken for one of this test.
      const name = 'reported';
      await fixture.serve([{ ...TWO, name, onStoreError: 'deny', onDecision, onLimitReached }]);
      const stop = subscribe('sluice:store-error', ({ source, policy }) => {
        if (policy === name) notified.push(`failed: ${source}`);
      });
      try {
        lose(fixture);
        assert.equal((await fixture.get()).status, 503);
        fixture.store.failure = undefined;
        assert.deepEqual(await fixture.statuses(3), [200, 200, 429]);
      } finally {
        stop();
      }
      assert.deepEqual(notified, ['failed: deny', 'refused by deny', 'refused by store', 'limit reached']);
    },

  'lets a message replace the text of a 503, not its status': async (fixture) => {
    await fixture.serve([{ ...TWO, onStoreError: 'deny', message: 'soon' }]);
    lose(fixture);
    const denied = await fixture.get();
    assert.deepEqual([denied.status, denied.body], [503, 'soon']);
  },

  'keeps the fields of other policies if one states no numbers': async (fixture) => {
    const local = { name: 'site', limit: slidingWindow({ limit: 9, window: '1m' }) };
    await fixture.serve([local, { ...TWO, name: 'api', onStoreError: 'allow' }]);
    lose(fixture);
    assert.deepEqual(available(await fixture.get()), { site: 8 });
  },

  'frees slots that were granted in the process': async (fixture) => {
    await fixture.serve([{ limit: concurrency({ limit: 1, lease: '30s' }) }]);
    lose(fixture);
    assert.equal((await fixture.get()).status, 200);
    await fixture.until('the slot is free', async () => (await fixture.get()).status === 200);
  },

  ...Object.fromEntries(
    [false, true].map((skipFailedRequests) => [
      `responds to a request whose store fails, or is closed, before the request ends (skipFailedRequests ${skipFailedRequests})`,
      async (fixture) => {
        const handler = new HeldHandler();
        const limits = [concurrency({ limit: 3, lease: '30s' }), slidingWindow({ limit: 9, window: '1m' })];
        await fixture.serve([{ limits, skipFailedRequests }], handler.handle);
        let answered = 0;
        const ask = async (): Promise<number> => {
          const { status } = await fixture.get();
          answered += 1;
          return status;
        };
        const statuses = [ask(), ask(), ask()];
        await handler.holds(3);
        lose(fixture);
        handler.release();
        handler.release({ status: 500, body: '' });
        await fixture.until('two are answered', () => answered === 2);
        fixture.store.failure = undefined;
        await fixture.store.close();
        handler.release({ status: 500, body: '' });
        assert.deepEqual((await Promise.all(statuses)).sort(), [200, 500, 500]);
        // A closed store is a mistake of the application. No policy hides it.
        assert.equal((await fixture.get()).status, 500);
      },
    ]),
  ),
};
