import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { progressText, startProgress } from '../src/progress.js';
import { testIo } from './test-io.js';

const turn = () => new Promise(setImmediate);

describe('the progress of long work', () => {
  it.each<[number, number | undefined, number, string]>([
    [0, 1000, 0, '0 %, 0 B of 1.00 kB, 0 B/s'],
    [500, 1000, 1000, '50 %, 500 B of 1.00 kB, 500 B/s, 1 s left'],
    [61_000_000, 145_000_000, 1271, '42 %, 61.0 MB of 145 MB, 48.0 MB/s, 2 s left'],
    [1_000_000, 1_000_000_000, 1000, '0 %, 1.00 MB of 1.00 GB, 1.00 MB/s, 16 min 39 s left'],
    [1e9, 20e12, 1000, '0 %, 1.00 GB of 20.0 TB, 1.00 GB/s, 5 h 33 min left'],
    [1000, 1000, 2000, '100 %, 1.00 kB of 1.00 kB, 500 B/s, 0 s left'],
    [0, 0, 0, '100 %, 0 B of 0 B, 0 B/s'],
    [61_000_000, undefined, 1271, '61.0 MB, 48.0 MB/s'],
    [0, undefined, 0, '0 B, 0 B/s'],
  ])('is told in words: %d of %d bytes in %d ms', (done, total, elapsedMs, text) => {
    expect(progressText(done, total, elapsedMs)).toBe(text);
  });

  it('is a line each 5 s where there is no terminal', async () => {
    const clock = new ManualClock();
    const io = testIo({ clock });
    const progress = startProgress(io, 'replay', 1200);
    for (let seconds = 1; seconds <= 12; seconds += 1) {
      clock.advance('1s');
      progress.update(100 * seconds);
    }
    progress.end();
    await turn();
    expect(io.err()).toBe(
      'replay  41 %, 500 B of 1.20 kB, 100 B/s, 7 s left\nreplay  83 %, 1.00 kB of 1.20 kB, 100 B/s, 2 s left\n',
    );
    expect(io.out()).toBe('');
  });

  it('is a bar on a terminal, which disappears at the end', async () => {
    const clock = new ManualClock();
    const io = testIo({ clock, isTTY: true, columns: 100, env: { NO_COLOR: '1' } });
    const progress = startProgress(io, 'replay', 1000);
    clock.advance('1s');
    progress.update(250);
    await turn();
    expect(io.err()).toContain(`${'━'.repeat(32)}  replay  25 %, 250 B of 1.00 kB, 250 B/s, 3 s left`);
    progress.end();
    await turn();
    // The bar clears its line, and leaves the cursor visible.
    expect(io.err().endsWith('\u001B[2K')).toBe(true);
    expect(io.err()).not.toContain('\u001B[?25l');
    expect(io.out()).toBe('');
  });

  it('is no bar where nobody knows how much there is', async () => {
    const clock = new ManualClock();
    const io = testIo({ clock, isTTY: true, columns: 100, env: { NO_COLOR: '1' } });
    const progress = startProgress(io, 'replay', undefined);
    clock.advance('1s');
    progress.update(250);
    progress.end();
    await turn();
    expect(io.err()).toContain('replay  250 B, 250 B/s');
    expect(io.err()).not.toContain('━');
  });

  it('shows nothing of short work', async () => {
    const io = testIo({ clock: new ManualClock(), isTTY: true });
    const progress = startProgress(io, 'replay', 1000);
    progress.update(1000);
    progress.end();
    await turn();
    expect(io.err()).toBe('');
  });
});
