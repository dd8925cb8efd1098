import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { boundOf, createLimiter, type Limit, slidingWindow, tokenBucket } from '@sluice/core';
import { Successor } from '../successor.js';
import { admittedOf, Stage } from './stage.js';

const LIMITS: readonly Limit[] = [
  slidingWindow({ limit: 20, window: '1h' }),
  tokenBucket({ capacity: 20, refillRate: 0 }),
];

/** Several servers have to start and find each other, and the machine may be busy. */
const PATIENCE_MS = 180_000;

let stage: Stage;
let successor: Successor;

beforeEach(async () => {
  stage = await Stage.set();
  successor = await Successor.of(stage.server);
}, PATIENCE_MS);

afterEach(async () => {
  await stage.clear();
  await successor.stop();
}, PATIENCE_MS);

describe.each(LIMITS)('Of 20 with a $algorithm', (limit) => {
  it.each([
    ['deny', { losses: 1 }],
    ['local', { losses: 1, instances: 1 }],
  ] as const)(
    'no more than the bound are admitted if a failover loses the counts: %s meanwhile',
    async (onStoreError, worst) => {
      const limiter = createLimiter({ limit, onStoreError, store: stage.store({ client: successor.client() }) });
      const hammer = () => Promise.all(Array.from({ length: 30 }, () => stage.ask(limiter)));
      await successor.fallBehind();
      await stage.untilBack(limiter);
      await hammer();
      await stage.server.kill();
      await hammer();
      await successor.promoted();
      await stage.untilBack(limiter);
      await hammer();
      const admitted = admittedOf(stage.answers);
      expect(admitted).toBeLessThanOrEqual(boundOf(limit, '1h', worst));
      // Worse than without a fault, so that the bound is needed.
      expect(admitted).toBeGreaterThan(boundOf(limit, '1h'));
    },
    PATIENCE_MS,
  );
});
