import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { processorMs, waitedForProcessorMs } from '../src/processor-time.js';

const isTold = existsSync('/proc/thread-self/schedstat');
const FOR_MS = 400;

const others: ChildProcess[] = [];

/** Starts programs that want all processors for themselves, and waits until they do. */
async function keepAllBusy(): Promise<void> {
  for (let i = 0; i < 2 * availableParallelism(); i += 1) {
    const other = spawn('sh', ['-c', 'echo; while :; do :; done']);
    others.push(other);
    await once(other.stdout, 'data');
  }
}

function work(): { wallMs: number; waitedMs: number; ranMs: number } {
  const [startMs, startWaitedMs, startRanMs] = [performance.now(), waitedForProcessorMs(), processorMs()];
  while (performance.now() - startMs < FOR_MS);
  return {
    wallMs: performance.now() - startMs,
    waitedMs: waitedForProcessorMs() - startWaitedMs,
    ranMs: processorMs() - startRanMs,
  };
}

describe('the time that a thread waits for a processor', () => {
  afterEach(() => {
    for (const other of others.splice(0)) other.kill('SIGKILL');
  });

  (isTold ? it : it.skip)('is what is left of the time that other programs had', async () => {
    await keepAllBusy();
    const { wallMs, waitedMs, ranMs } = work();
    expect(waitedMs).toBeGreaterThan(0.2 * wallMs);
    // The machine itself may be taken away, and V8 has threads of its own.
    expect(waitedMs + ranMs).toBeGreaterThan(0.5 * wallMs);
    expect(waitedMs + ranMs).toBeLessThan(1.5 * wallMs);
  });
});
