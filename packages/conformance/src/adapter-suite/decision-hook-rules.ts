import type { Decision } from '@sluice/core';
import * as assert from '../assert.js';
import { OK, type Rules } from './adapter-fixture.js';
import { ownAnswer, quotaExceeded } from './answer-fields.js';
import { recordedWarnings } from './recorded-warnings.js';

const ONE = { limit: 1, window: '1m' } as const;

const decisionOf = (args: readonly unknown[]): Decision => args.at(-1) as Decision;

/** `onDecision`: it is called with every decision about a request. */
export const decisionHookRules: Rules = {
  "calls onDecision for every decision, admitted and refused, with the request's arguments": async (fixture) => {
    const notified: unknown[] = [];
    await fixture.serve((tools) => [
      {
        ...ONE,
        skip: (...args) => tools.requestOf(args).url === '/health',
        onDecision: (...args) => {
          const { policy, allowed, retryAfterMs, source } = decisionOf(args);
          notified.push([tools.requestOf(args).url, policy, allowed, retryAfterMs, source]);
        },
      },
    ]);
    await fixture.get('/a');
    await fixture.get('/health');
    await fixture.get('/b');
    assert.deepEqual(notified, [
      ['/a', 'default', true, 0, 'store'],
      ['/b', 'default', false, 60_000, 'store'],
    ]);
  },

  'calls onDecision for decisions while the store fails': async (fixture) => {
    const notified: unknown[] = [];
    const onDecision = (...args: readonly unknown[]) => void notified.push(decisionOf(args).source);
    await fixture.serve([
      { name: 'open', ...ONE, onStoreError: 'allow', onDecision },
      { name: 'closed', ...ONE, onStoreError: 'deny', onDecision },
    ]);
    fixture.store.failure = new Error('the connection is lost');
    assert.equal((await fixture.get()).status, 503);
    assert.deepEqual(notified, ['allow', 'deny']);
  },

  'does not call onDecision for addresses on the lists': async (fixture) => {
    let calls = 0;
    const onDecision = () => {
      calls += 1;
    };
    await fixture.serve([{ ...ONE, allowList: ['203.0.113.7'], denyList: ['203.0.113.8'], onDecision }], () => OK, {
      trustsLoopback: true,
    });
    for (const address of ['203.0.113.7', '203.0.113.8']) await fixture.get('/', { 'x-forwarded-for': address });
    assert.equal(calls, 0);
  },

  'does not wait for onDecision': async (fixture) => {
    await fixture.serve([{ ...ONE, onDecision: () => new Promise(() => {}) }]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
  },

  'keeps the decision, and warns once, if onDecision fails': async (fixture) => {
    const codes = await recordedWarnings(async () => {
      await fixture.serve((tools) => [
        {
          ...ONE,
          onDecision: (...args) => {
            if (tools.requestOf(args).url === '/rejects') return Promise.reject();
            throw new Error('the log is full');
          },
        },
      ]);
      assert.deepEqual(await fixture.statuses(1, '/rejects'), [200]);
      assert.deepEqual(ownAnswer(await fixture.get()), quotaExceeded(['per-1m'], 60));
      assert.deepEqual(await fixture.statuses(1, '/rejects'), [429]);
    });
    assert.deepEqual([codes, fixture.handled.length], [['SLUICE_HOOK_FAILED'], 1]);
  },
};
