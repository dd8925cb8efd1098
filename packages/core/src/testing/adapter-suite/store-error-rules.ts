import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { Decision } from '../../values/decision.js';
import { subscribe } from '../../values/events.js';
import { available, limitFields, ownAnswer, problem } from './answer-fields.js';
import { Doorman } from './doorman.js';
import type { Rules, Stage } from './stage.js';

const TWO = { limit: 2, window: '1m' } as const;

const REDUCED_CAPACITY = problem(
  503,
  '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity",' +
    '"status":503,"detail":"The service cannot answer this request at the moment. Try again soon."}',
);

const lose = ({ store }: Stage): void => {
  store.failure = new Error('the connection is lost');
};

/** The store is lost. */
export const storeErrorRules: Rules = {
  "counts in the process by default, with onStoreError 'local'": async (stage) => {
    await stage.serve([TWO], ({ rateLimit }) => ({ status: 200, body: String(rateLimit?.source) }));
    assert.equal((await stage.get()).body, 'store');
    lose(stage);
    const local = await stage.get();
    assert.deepEqual([local.body, available(local)], ['local', { 'per-1m': 1 }]);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
    stage.store.failure = undefined;
    assert.deepEqual(await stage.statuses(2), [200, 429]);
  },

  "admits, and has no figures to tell, with onStoreError 'allow'": async (stage) => {
    await stage.serve([{ ...TWO, onStoreError: 'allow' }], ({ rateLimit }) => ({
      status: 200,
      body: String(rateLimit?.source),
    }));
    lose(stage);
    for (let i = 0; i < 4; i += 1) {
      const answer = await stage.get();
      assert.deepEqual([answer.status, answer.body, limitFields(answer)], [200, 'allow', {}]);
    }
  },

  "answers 503, and has no figures to tell, with onStoreError 'deny'": async (stage) => {
    await stage.serve([{ ...TWO, onStoreError: 'deny', statusCode: 420 }]);
    lose(stage);
    const denied = await stage.get();
    assert.deepEqual(ownAnswer(denied), REDUCED_CAPACITY);
    assert.deepEqual(limitFields(denied), { 'retry-after': '1' });
    assert.equal(stage.handled.length, 0);
    stage.store.failure = undefined;
    assert.deepEqual(await stage.statuses(3), [200, 200, 420]);
  },

  'tells a 503 in the event sluice:store-error and to onDecision, and calls onLimitReached only where a limit refused':
    async (stage) => {
      const told: string[] = [];
      const onLimitReached = () => {
        told.push('limit reached');
      };
      const onDecision = (...args: readonly unknown[]) => {
        const { allowed, source } = args.at(-1) as Decision;
        if (!allowed) told.push(`refused by ${source}`);
      };
      await stage.serve([{ ...TWO, onStoreError: 'deny', onDecision, onLimitReached }]);
      const stop = subscribe('sluice:store-error', ({ source }) => told.push(`failed: ${source}`));
      try {
        lose(stage);
        assert.equal((await stage.get()).status, 503);
        stage.store.failure = undefined;
        assert.deepEqual(await stage.statuses(3), [200, 200, 429]);
      } finally {
        stop();
      }
      assert.deepEqual(told, ['failed: deny', 'refused by deny', 'refused by store', 'limit reached']);
    },

  'lets a message replace the words of a 503, not its status': async (stage) => {
    await stage.serve([{ ...TWO, onStoreError: 'deny', message: 'soon' }]);
    lose(stage);
    const denied = await stage.get();
    assert.deepEqual([denied.status, denied.body], [503, 'soon']);
  },

  'keeps the fields of other policies when one has no figures to tell': async (stage) => {
    const local = { name: 'site', limit: slidingWindow({ limit: 9, window: '1m' }) };
    await stage.serve([local, { ...TWO, name: 'api', onStoreError: 'allow' }]);
    lose(stage);
    assert.deepEqual(available(await stage.get()), { site: 8 });
  },

  'frees slots that were granted in the process': async (stage) => {
    await stage.serve([{ limit: concurrency({ limit: 1, lease: '30s' }) }]);
    lose(stage);
    assert.equal((await stage.get()).status, 200);
    await stage.until('the slot is free', async () => (await stage.get()).status === 200);
  },

  ...Object.fromEntries(
    [false, true].map((skipFailedRequests) => [
      `answers a request whose store is lost, or closed, before it ends (skipFailedRequests ${skipFailedRequests})`,
      async (stage) => {
        const doorman = new Doorman();
        const limits = [concurrency({ limit: 3, lease: '30s' }), slidingWindow({ limit: 9, window: '1m' })];
        await stage.serve([{ limits, skipFailedRequests }], doorman.handle);
        let answered = 0;
        const ask = async (): Promise<number> => {
          const { status } = await stage.get();
          answered += 1;
          return status;
        };
        const statuses = [ask(), ask(), ask()];
        await doorman.holds(3);
        lose(stage);
        doorman.release();
        doorman.release({ status: 500, body: '' });
        await stage.until('two are answered', () => answered === 2);
        stage.store.failure = undefined;
        await stage.store.close();
        doorman.release({ status: 500, body: '' });
        assert.deepEqual((await Promise.all(statuses)).sort(), [200, 500, 500]);
        // A closed store is a mistake of the application, and no failure that a policy could hide.
        assert.equal((await stage.get()).status, 500);
      },
    ]),
  ),
};
