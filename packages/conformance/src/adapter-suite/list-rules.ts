import { subscribe } from '@sluice/core';
import { addressList, HttpRefusal, type RefusalReason } from '@sluice/core/http';
import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, problem } from './answer-fields.js';
import { headerReader } from './header-reader.js';

const ONE = { limit: 1, window: '1m' } as const;

/** Requests that are not counted, or are denied. */
export const listRules: Rules = {
  'does not count an address on the allow list, and sends it no fields': async (fixture) => {
    await fixture.serve([{ ...ONE, allowList: ['10.0.0.0/8', '127.0.0.1'] }]);
    const answers = [await fixture.get(), await fixture.get()];
    for (const answer of answers) assert.deepEqual([answer.status, limitFields(answer)], [200, {}]);
    assert.equal(fixture.store.asked, 0);
    assert.equal(fixture.handled[0]?.rateLimit, undefined);
  },

  'answers an address on the deny list with 403, without asking the store, sending fields or calling onLimitReached':
    async (fixture) => {
      let calls = 0;
      await fixture.serve([
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
      const answer = await fixture.get();
      assert.deepEqual(ownAnswer(answer), problem(403, '{"type":"about:blank","title":"Forbidden","status":403}'));
      assert.deepEqual(limitFields(answer), {});
      assert.deepEqual([fixture.store.asked, fixture.handled.length, calls], [0, 0, 0]);
    },

  'follows lists that are replaced while it serves': async (fixture) => {
    const [allowed, denied] = [addressList(), addressList()];
    await fixture.serve([{ ...ONE, allowList: allowed, denyList: denied }]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
    allowed.replace(['127.0.0.1']);
    assert.deepEqual(await fixture.statuses(2), [200, 200]);
    denied.replace(['127.0.0.0/8']);
    assert.deepEqual(await fixture.statuses(1), [403]);
    denied.replace([]);
    allowed.replace([]);
    assert.deepEqual(await fixture.statuses(1), [429]);
  },

  'tells once of each request that is not counted, and why': async (fixture) => {
    const reasons: string[] = [];
    const stop = subscribe('sluice:skipped', ({ policy, reason }) => reasons.push(`${policy}: ${reason}`));
    const [allowList, denyList] = [addressList(), addressList()];
    await fixture.serve((tools) => [
      { ...ONE, name: 'api', allowList, denyList, skip: (...args) => tools.requestOf(args).url.startsWith('/health') },
    ]);
    await fixture.statuses(2, '/health');
    await fixture.statuses(2);
    allowList.replace(['127.0.0.1']);
    await fixture.get();
    denyList.replace(['127.0.0.1']);
    await fixture.get();
    stop();
    assert.deepEqual(reasons, ['api: skip', 'api: skip', 'api: allowList', 'api: denyList']);
  },

  'tells and counts once why a request is refused before any limit is asked': async (fixture) => {
    const reasons: string[] = [];
    const stop = subscribe('sluice:skipped', ({ policy, reason }) => reasons.push(`${policy}: ${reason}`));
    await fixture.serve((tools) => {
      const reasonOf = headerReader(tools)('x-reason');
      const keyGenerator = (...args: readonly unknown[]): string | undefined => {
        const reason = reasonOf(...args);
        if (reason === 'missing') return undefined;
        if (reason === 'other') throw new HttpRefusal(400);
        throw new HttpRefusal(403, { reason: reason as RefusalReason });
      };
      return [{ ...ONE, name: 'refusals', onMissingKey: 401, keyGenerator }];
    });
    const statuses: number[] = [];
    for (const reason of ['missing', 'other', 'denyList', 'unknown', 'blocked', 'refused']) {
      statuses.push(...(await fixture.statuses(1, '/', { 'x-reason': reason })));
    }
    stop();
    assert.deepEqual(statuses, [401, 400, 403, 403, 403, 403]);
    const expected = ['unknown', 'refused', 'denyList', 'unknown', 'blocked', 'refused'];
    assert.deepEqual(
      reasons,
      expected.map((reason) => `refusals: ${reason}`),
    );
  },

  'leaves addresses on neither list to the limits': async (fixture) => {
    await fixture.serve([{ ...ONE, allowList: ['127.0.0.2', '::/0'], denyList: ['128.0.0.0/1'] }]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
  },

  'does not count requests that skip names': async (fixture) => {
    await fixture.serve((tools) => [{ ...ONE, skip: (...args) => tools.requestOf(args).url.startsWith('/health') }]);
    const skipped = await fixture.get('/health');
    assert.deepEqual([skipped.status, limitFields(skipped)], [200, {}]);
    assert.deepEqual(await fixture.statuses(3, '/health'), [200, 200, 200]);
    assert.deepEqual(await fixture.statuses(2, '/'), [200, 429]);
    assert.equal((await fixture.get('/health')).status, 200);
  },

  'calls skip before anything else': async (fixture) => {
    const failing = (): never => {
      throw new Error('asked');
    };
    await fixture.serve([{ limit: failing, window: '1m', skip: () => true, cost: failing, keyGenerator: failing }]);
    assert.deepEqual(await fixture.statuses(1), [200]);
  },

  'counts requests that an asynchronous skip does not name': async (fixture) => {
    await fixture.serve((tools) => {
      const probe = headerReader(tools)('x-probe');
      return [{ ...ONE, skip: async (...args) => probe(...args) === 'yes' }];
    });
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
    assert.deepEqual(await fixture.statuses(2, '/', { 'x-probe': 'yes' }), [200, 200]);
  },
};
