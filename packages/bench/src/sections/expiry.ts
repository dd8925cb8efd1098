import { FEW_MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import type { Section } from '../section.js';
import type { Cell } from '../table.js';
import { startWorker } from '../worker.js';

const IDLE = 'nothing: an idle process';

/** How long a request may have to wait while others' keys are forgotten. */
export const expiry: Section = {
  title: 'Longest stall while keys expire',

  async *run(scale) {
    const { expiringKeys: keys, expiryWindowMs: windowMs } = scale;
    const rows: Cell[][] = [];
    for (const name of [IDLE, ...FEW_MEMORY_CONTENDERS]) {
      const options = { keys, windowMs, ...(name !== IDLE && { contender: name }) };
      const worker = await startWorker(scale, 'expiry', options, {
        flags: ['--expose-gc', '--max-old-space-size=4096'],
      });
      try {
        const { longestMs, longestProcessorMs, heldMegabytes, leftMegabytes } = await worker.ask('run');
        rows.push([name, longestMs, longestProcessorMs, heldMegabytes, leftMegabytes]);
      } finally {
        await worker.end();
      }
    }
    yield {
      caption: `${keys.toLocaleString('en-US')} keys of a window of ${windowMs / 1_000} s expire while few others are decided about`,
      head: ['', 'longest stall, ms', 'in processor time, ms', 'MB held', 'MB left'],
      rows,
      notes: [
        'A stall of which the processor has seen little is the machine at work for others.',
        'A bare Map counter forgets nothing.',
        '@nestjs/throttler looks for expired keys once a minute; here once a window.',
      ],
    };
  },
};
