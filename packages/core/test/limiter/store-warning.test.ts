import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FragileStore } from '@sluice/conformance/src/adapter-suite/fragile-store';
import { createLimiter, subscribe } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { emittedWarnings, expectOnly, type Warning } from '@sluice/test-kit/emitted-warnings';

let warnings: readonly Warning[];
let clock: ManualClock;
beforeEach(() => {
  warnings = emittedWarnings();
  clock = new ManualClock();
});
afterEach(() => {
  jest.restoreAllMocks();
});

function limiterOver(onStoreError: 'local' | 'allow' | 'deny') {
  const store = new FragileStore(clock, false);
  store.failure = new Error('the connection is lost');
  return createLimiter({ limit: 9, window: '1h', store, onStoreError });
}

describe('A store that fails', () => {
  it.each(['local', 'allow'] as const)("causes a warning once a minute under '%s'", async (choice) => {
    const limiter = limiterOver(choice);
    for (let i = 0; i < 5; i += 1) await limiter.consume('ann');
    expectOnly(warnings, 'SLUICE_STORE_FAILING', 'errors.md');
    expect(warnings[0]?.message).toMatch(/onStoreError '.*', requests are .*: the connection is lost$/);
    clock.advance(59_999);
    await limiter.consume('ann');
    expect(warnings.length).toBe(1);
    clock.advance(1);
    for (let i = 0; i < 5; i += 1) await limiter.consume('ann');
    expect(warnings.length).toBe(2);
  });

  it("causes no warning under 'deny', which clients notice", async () => {
    await limiterOver('deny').consume('ann');
    expect(warnings).toEqual([]);
  });

  it('causes no warning while its event has listeners', async () => {
    const stop = subscribe('sluice:store-error', () => {});
    await limiterOver('local').consume('ann');
    stop();
    expect(warnings).toEqual([]);
  });
});
