import assert from 'node:assert/strict';
import { leakyBucket } from '../../algorithms/buckets/leaky.js';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import { available, limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import type { Rules } from './stage.js';

const ONE = slidingWindow({ name: 'one', limit: 1, window: '1m' });

/** Limits that are tried out before they are enforced. */
export const shadowRules: Rules = {
  'never refuses by a limit that is not enforced, and sends no field of it': async (stage) => {
    await stage.serve([{ limit: ONE, enforce: 0 }]);
    for (let i = 0; i < 3; i += 1) {
      const answer = await stage.get();
      assert.deepEqual([answer.status, limitFields(answer)], [200, {}]);
    }
    assert.deepEqual(
      stage.handled.map(({ rateLimit }) => [rateLimit?.allowed, rateLimit?.shadowed]),
      [
        [true, false],
        [true, true],
        [true, true],
      ],
    );
  },

  'enforces the limits beside it': async (stage) => {
    await stage.serve([
      { limits: [{ limit: ONE, enforce: 0 }, slidingWindow({ name: 'two', limit: 2, window: '1m' })] },
    ]);
    assert.deepEqual(available(await stage.get()), { two: 1 });
    assert.deepEqual(await stage.statuses(1), [200]);
    assert.deepEqual(ownAnswer(await stage.get()), quotaExceeded(['two'], 60));
  },

  'delays nothing for it, and refuses nothing for want of a slot': async (stage) => {
    const limits = [leakyBucket({ capacity: 1, leakRate: 1 }), concurrency({ limit: 0, lease: '30s' })];
    await stage.serve([{ enforce: 0, limits }]);
    assert.deepEqual(await stage.statuses(3), [200, 200, 200]);
  },

  'refuses nothing for it when the store is lost': async (stage) => {
    await stage.serve([{ limit: ONE, enforce: 0, onStoreError: 'deny' }]);
    stage.store.failure = new Error('gone');
    const answer = await stage.get();
    assert.deepEqual([answer.status, limitFields(answer)], [200, {}]);
  },
};
