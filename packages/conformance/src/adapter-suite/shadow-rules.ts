import { concurrency, leakyBucket, slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { Rules } from './adapter-fixture.js';
import { available, limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';

const ONE = slidingWindow({ name: 'one', limit: 1, window: '1m' });

/** Limits that are checked but not enforced. */
export const shadowRules: Rules = {
  'never refuses because of a limit that is not enforced, and sends no field for it': async (fixture) => {
    await fixture.serve([{ limit: ONE, enforce: 0 }]);
    for (let i = 0; i < 3; i += 1) {
      const answer = await fixture.get();
      assert.deepEqual([answer.status, limitFields(answer)], [200, {}]);
    }
    assert.deepEqual(
      fixture.handled.map(({ rateLimit }) => [rateLimit?.allowed, rateLimit?.shadowed]),
      [
        [true, false],
        [true, true],
        [true, true],
      ],
    );
  },

  'enforces the limits beside it': async (fixture) => {
    await fixture.serve([
      { limits: [{ limit: ONE, enforce: 0 }, slidingWindow({ name: 'two', limit: 2, window: '1m' })] },
    ]);
    assert.deepEqual(available(await fixture.get()), { two: 1 });
    assert.deepEqual(await fixture.statuses(1), [200]);
    assert.deepEqual(ownAnswer(await fixture.get()), quotaExceeded(['two'], 60));
  },

  'delays nothing because of it, and refuses nothing if it has no slot': async (fixture) => {
    const limits = [leakyBucket({ capacity: 1, leakRate: 1 }), concurrency({ limit: 0, lease: '30s' })];
    await fixture.serve([{ enforce: 0, limits }]);
    assert.deepEqual(await fixture.statuses(3), [200, 200, 200]);
  },

  'states a limit that only marks requests, and tells the handler of a request that passed it': async (fixture) => {
    const hooks: unknown[] = [];
    await fixture.serve([{ limit: ONE, enforce: 'mark', onLimitReached: () => void hooks.push(1) }]);
    assert.deepEqual(available(await fixture.get()), { one: 0 });
    fixture.clock.advance('10s');
    const marked = await fixture.get();
    assert.deepEqual(limitFields(marked), {
      'ratelimit-policy': '"one";q=1;w=60',
      ratelimit: '"one";r=0;t=50',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '50',
    });
    assert.equal(marked.status, 200);
    assert.deepEqual(hooks, []);
    assert.deepEqual(
      fixture.handled.map(({ rateLimit }) => [rateLimit?.allowed, rateLimit?.exceeded]),
      [
        [true, undefined],
        [true, true],
      ],
    );
  },

  'tells the handler of a mark that an outer policy has made': async (fixture) => {
    await fixture.serve([
      { name: 'outer', limit: ONE, enforce: 'mark' },
      { name: 'inner', limit: 5, window: '1m' },
    ]);
    await fixture.statuses(2);
    assert.deepEqual(
      fixture.handled.map(({ rateLimit }) => [rateLimit?.policy, rateLimit?.exceeded]),
      [
        ['inner', undefined],
        ['inner', true],
      ],
    );
  },

  'refuses by an enforced limit beside a mark, and names that limit alone': async (fixture) => {
    await fixture.serve([
      { limits: [{ limit: ONE, enforce: 'mark' }, slidingWindow({ name: 'two', limit: 2, window: '1h' })] },
    ]);
    assert.deepEqual(await fixture.statuses(2), [200, 200]);
    assert.deepEqual(ownAnswer(await fixture.get()), quotaExceeded(['two'], 3600));
  },

  'refuses nothing because of it if the store fails': async (fixture) => {
    await fixture.serve([{ limit: ONE, enforce: 0, onStoreError: 'deny' }]);
    fixture.store.failure = new Error('gone');
    const answer = await fixture.get();
    assert.deepEqual([answer.status, limitFields(answer)], [200, {}]);
  },
};
