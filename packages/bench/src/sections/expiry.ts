import { FEW_MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import { interleaved } from '../rounds.js';
import type { Section } from '../section.js';
import { spreadOf } from '../spread.js';
import type { Expired } from '../tasks/expiry.js';
import { startWorker } from '../worker.js';

const IDLE = 'nothing: an idle process';

/** How long a request may have to wait while others' keys are forgotten. */
export const expiry: Section = {
  title: 'Longest stall while keys expire',

  async *run(scale) {
    const { expiringKeys: keys, expiryWindowMs: windowMs, expiryProcesses: processes } = scale;
    const inNewProcess = async (name: string): Promise<Expired> => {
      const options = { keys, windowMs, ...(name !== IDLE && { contender: name }) };
      const flags = ['--expose-gc', '--max-old-space-size=4096'];
      const worker = await startWorker(scale, 'expiry', options, { flags });
      try {
        return await worker.ask('run');
      } finally {
        await worker.end();
      }
    };
    const names = [IDLE, ...FEW_MEMORY_CONTENDERS];
    const results = await interleaved(processes, new Map(names.map((name) => [name, () => inNewProcess(name)])));
    const of = (name: string, figure: keyof Expired) => spreadOf((results.get(name) ?? []).map((run) => run[figure]));
    yield {
      caption: `${keys.toLocaleString('en-US')} keys of a window of ${windowMs / 1_000} s expire while few others are decided about`,
      head: [
        '',
        'longest stall, ms',
        'in processor time, ms',
        'longest pause of the garbage collector, ms',
        'MB held',
        'MB left',
      ],
      rows: names.map((name) => [
        name,
        of(name, 'longestMs'),
        of(name, 'longestProcessorMs'),
        of(name, 'longestCollectionMs'),
        of(name, 'heldMegabytes').median,
        of(name, 'leftMegabytes').median,
      ]),
      notes: [
        `Each row is of ${processes} processes in turn: the longest stall of one process may be anything that the machine did once.`,
        'Processor time is that of the event loop: where it is less than the stall, other programs or other threads of the process had the processors.',
        'A bare Map counter forgets nothing.',
        '@nestjs/throttler looks for expired keys once a minute; here once a window.',
      ],
    };
  },
};
