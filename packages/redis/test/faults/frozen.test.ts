import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, subscribe } from '@sluice/core';
import { CHOICES, Stage, sleep, sourcesOf, TIMEOUT_MS } from './stage.js';

const THOUSAND = { limit: 1000, window: '1h' } as const;

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.set();
});

afterEach(() => stage.clear());

describe('While Redis is frozen (SIGSTOP)', () => {
  it.each(CHOICES)('the policy decides by onStoreError %s, and Redis decides after SIGCONT', async (onStoreError) => {
    const limiter = createLimiter({ ...THOUSAND, onStoreError, store: stage.store() });
    await stage.untilBack(limiter);
    await stage.freeze();
    const answers = await stage.askFor(limiter, 300);
    expect(sourcesOf(answers)).toEqual(new Set([onStoreError]));
    expect(answers.every(({ allowed }) => allowed === (onStoreError !== 'deny'))).toBe(true);
    await stage.server.thaw();
    await stage.untilBack(limiter);
    stage.expectAllInTime();
  });

  it('one probe at a time is sent, and decisions are immediate meanwhile', async () => {
    const states: string[] = [];
    const stop = subscribe('sluice:breaker', ({ state }) => states.push(state));
    const limiter = createLimiter({ ...THOUSAND, store: stage.store() });
    await stage.untilBack(limiter);
    await stage.freeze();
    // All failures of one stall count as one. So a slow machine may have to ask for longer.
    while (!states.includes('open')) await stage.askFor(limiter, 50);
    const answers = await stage.askFor(limiter, 50);
    expect(Math.min(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(TIMEOUT_MS / 2);
    await sleep(600);
    await stage.server.thaw();
    await stage.untilBack(limiter);
    expect(states.at(-1)).toBe('closed');
    expect(states.filter((state) => state === 'half-open').length).toBeGreaterThan(0);
    stop();
  });
});
