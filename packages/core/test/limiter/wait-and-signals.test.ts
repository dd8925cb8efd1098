import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter } from '@sluice/core';
import { manualStore, settled } from '@sluice/test-kit/manual-store';
import { TestProgram } from '@sluice/test-kit/test-program';

describe('A signal that outlives many waits', () => {
  let program: TestProgram;

  // Runs in a process of its own, because the test runner keeps much more memory than this test looks for.
  beforeAll(async () => {
    program = await TestProgram.build(join(__dirname, 'waiting/waiter.ts'));
  });

  afterAll(() => program.remove());

  // Compilers that work in the background change the heap at moments that differ from run to run.
  const flags = ['--expose-gc', '--single-threaded', '--no-opt', '--no-sparkplug', '--no-maglev'];

  it.each(['slot', 'turn', 'room'])('keeps no memory of a wait for a %s', (what) => {
    const bytesPerWait = Number(execFileSync(process.execPath, [...flags, program.path, what], { encoding: 'utf8' }));
    // A listener that is left behind takes more than 300.
    expect(bytesPerWait).toBeLessThan(100);
  });

  it('has no listeners when no wait is left, however it ended', async () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '1h' }), store });
    const held = limiter.reserve('ann');
    const { signal } = new AbortController();
    const freed = limiter.wait('ann', { signal });
    const inVain = limiter.wait('ann', { signal, maxWait: '10s' });
    await settled();
    expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
    held.settle();
    (await freed).settle();
    (await inVain).settle();
    const again = limiter.reserve('ann');
    const late = limiter.wait('ann', { signal, maxWait: '1s' });
    await settled();
    clock.advance('1s');
    expect((await late).allowed).toBe(false);
    again.settle();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
