import assert from 'node:assert/strict';
import type { Decision } from '../../values/decision.js';
import { ownAnswer, quotaExceeded } from './answer-fields.js';
import { recordedWarnings } from './recorded-warnings.js';
import { OK, type Rules } from './stage.js';

const ONE = { limit: 1, window: '1m' } as const;

const decisionOf = (args: readonly unknown[]): Decision => args.at(-1) as Decision;

/** `onDecision`: every decision about a request is told to it. */
export const decisionHookRules: Rules = {
  "tells onDecision of every decision, admitted and refused, with the request's own arguments": async (stage) => {
    const told: unknown[] = [];
    await stage.serve((tools) => [
      {
        ...ONE,
        skip: (...args) => tools.requestOf(args).url === '/health',
        onDecision: (...args) => {
          const { policy, allowed, retryAfterMs, source } = decisionOf(args);
          told.push([tools.requestOf(args).url, policy, allowed, retryAfterMs, source]);
        },
      },
    ]);
    await stage.get('/a');
    await stage.get('/health');
    await stage.get('/b');
    assert.deepEqual(told, [
      ['/a', 'default', true, 0, 'store'],
      ['/b', 'default', false, 60_000, 'store'],
    ]);
  },

  'tells onDecision of what was decided while the store was lost': async (stage) => {
    const told: unknown[] = [];
    const onDecision = (...args: readonly unknown[]) => void told.push(decisionOf(args).source);
    await stage.serve([
      { name: 'open', ...ONE, onStoreError: 'allow', onDecision },
      { name: 'closed', ...ONE, onStoreError: 'deny', onDecision },
    ]);
    stage.store.failure = new Error('the connection is lost');
    assert.equal((await stage.get()).status, 503);
    assert.deepEqual(told, ['allow', 'deny']);
  },

  'does not tell onDecision of addresses on the lists': async (stage) => {
    let calls = 0;
    const onDecision = () => {
      calls += 1;
    };
    await stage.serve([{ ...ONE, allowList: ['203.0.113.7'], denyList: ['203.0.113.8'], onDecision }], () => OK, {
      trustsLoopback: true,
    });
    for (const address of ['203.0.113.7', '203.0.113.8']) await stage.get('/', { 'x-forwarded-for': address });
    assert.equal(calls, 0);
  },

  'does not wait for onDecision': async (stage) => {
    await stage.serve([{ ...ONE, onDecision: () => new Promise(() => {}) }]);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
  },

  'keeps to the decision, and warns once, when onDecision fails': async (stage) => {
    const codes = await recordedWarnings(async () => {
      await stage.serve((tools) => [
        {
          ...ONE,
          onDecision: (...args) => {
            if (tools.requestOf(args).url === '/rejects') return Promise.reject();
            throw new Error('the log is full');
          },
        },
      ]);
      assert.deepEqual(await stage.statuses(1, '/rejects'), [200]);
      assert.deepEqual(ownAnswer(await stage.get()), quotaExceeded(['per-1m'], 60));
      assert.deepEqual(await stage.statuses(1, '/rejects'), [429]);
    });
    assert.deepEqual([codes, stage.handled.length], [['SLUICE_HOOK_FAILED'], 1]);
  },
};
