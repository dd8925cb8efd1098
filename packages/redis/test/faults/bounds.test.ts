import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { boundOf, createLimiter, type Limit, type Limiter, slidingWindow, tokenBucket } from '@sluice/core';
import { admittedOf, Stage, sleep } from './stage.js';

const LIMITS: readonly Limit[] = [
  slidingWindow({ limit: 20, window: '1h' }),
  tokenBucket({ capacity: 20, refillRate: 0 }),
];

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.set();
});

afterEach(() => stage.clear());

/** So many instances of an application, each with a store of its own. */
function instancesOf(limit: Limit, instances: number): Limiter<string, true>[] {
  return Array.from({ length: instances }, () => createLimiter({ limit, store: stage.store({ instances }) }));
}

/** A refusal is remembered for a moment. A fault during that time would not be noticed. */
const FORGOTTEN_MS = 110;

async function hammer(limiters: readonly Limiter<string, true>[]): Promise<void> {
  await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 30 }, () => stage.ask(limiter))));
  await sleep(FORGOTTEN_MS);
}

describe.each(LIMITS)('Of 20 with a $algorithm', (limit) => {
  it.each([1, 4])('no more than the bound are admitted while Redis is unreachable: instances %d', async (instances) => {
    const limiters = instancesOf(limit, instances);
    for (const limiter of limiters) await stage.untilBack(limiter);
    await hammer(limiters);
    await stage.freeze();
    await hammer(limiters);
    await hammer(limiters);
    await stage.server.thaw();
    for (const limiter of limiters) await stage.untilBack(limiter);
    await hammer(limiters);
    const admitted = admittedOf(stage.answers);
    expect(admitted).toBeLessThanOrEqual(boundOf(limit, '1h', { instances }));
    // Worse than without a fault, so that the bound is needed.
    expect(admitted).toBeGreaterThan(boundOf(limit, '1h'));
  });

  it('no more than the bound are admitted if a restart loses the counts', async () => {
    const limiters = instancesOf(limit, 1);
    for (const limiter of limiters) await stage.untilBack(limiter);
    await hammer(limiters);
    await stage.server.kill();
    await hammer(limiters);
    await stage.server.run();
    for (const limiter of limiters) await stage.untilBack(limiter);
    await hammer(limiters);
    const admitted = admittedOf(stage.answers);
    expect(admitted).toBeLessThanOrEqual(boundOf(limit, '1h', { instances: 1, losses: 1 }));
    expect(admitted).toBeGreaterThan(boundOf(limit, '1h'));
  });
});
