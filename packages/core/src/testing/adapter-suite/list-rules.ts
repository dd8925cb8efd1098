import assert from 'node:assert/strict';
import { limitFields, ownAnswer, problem } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import type { Rules } from './stage.js';

const ONE = { limit: 1, window: '1m' } as const;

/** Requests that are not counted, or not let in at all. */
export const listRules: Rules = {
  'does not count an address on the allow list, and sends it no fields': async (stage) => {
    await stage.serve([{ ...ONE, allowList: ['10.0.0.0/8', '127.0.0.1'] }]);
    const answers = [await stage.get(), await stage.get()];
    for (const answer of answers) assert.deepEqual([answer.status, limitFields(answer)], [200, {}]);
    assert.equal(stage.store.asked, 0);
    assert.equal(stage.handled[0]?.rateLimit, undefined);
  },

  'answers an address on the deny list with 403, without asking the store, sending fields or calling onLimitReached':
    async (stage) => {
      let calls = 0;
      await stage.serve([
        {
          ...ONE,
          allowList: ['127.0.0.1'],
          denyList: ['127.0.0.0/8'],
          skip: () => true,
          message: 'not this',
          statusCode: 418,
          onLimitReached: () => {
            calls += 1;
          },
        },
      ]);
      const answer = await stage.get();
      assert.deepEqual(ownAnswer(answer), problem(403, '{"type":"about:blank","title":"Forbidden","status":403}'));
      assert.deepEqual(limitFields(answer), {});
      assert.deepEqual([stage.store.asked, stage.handled.length, calls], [0, 0, 0]);
    },

  'leaves addresses on neither list to the limits': async (stage) => {
    await stage.serve([{ ...ONE, allowList: ['127.0.0.2', '::/0'], denyList: ['128.0.0.0/1'] }]);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
  },

  'does not count what skip names': async (stage) => {
    await stage.serve((tools) => [{ ...ONE, skip: (...args) => tools.requestOf(args).url.startsWith('/health') }]);
    const skipped = await stage.get('/health');
    assert.deepEqual([skipped.status, limitFields(skipped)], [200, {}]);
    assert.deepEqual(await stage.statuses(3, '/health'), [200, 200, 200]);
    assert.deepEqual(await stage.statuses(2, '/'), [200, 429]);
    assert.equal((await stage.get('/health')).status, 200);
  },

  'asks skip before anything else': async (stage) => {
    const failing = (): never => {
      throw new Error('asked');
    };
    await stage.serve([{ limit: failing, window: '1m', skip: () => true, cost: failing, keyGenerator: failing }]);
    assert.deepEqual(await stage.statuses(1), [200]);
  },

  'counts what skip does not name though it asks later': async (stage) => {
    await stage.serve((tools) => {
      const probe = headerReader(tools)('x-probe');
      return [{ ...ONE, skip: async (...args) => probe(...args) === 'yes' }];
    });
    assert.deepEqual(await stage.statuses(2), [200, 429]);
    assert.deepEqual(await stage.statuses(2, '/', { 'x-probe': 'yes' }), [200, 200]);
  },
};
