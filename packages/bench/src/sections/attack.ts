import { FEW_MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import type { Cell } from '../table.js';
import { startWorker } from '../worker.js';

/** What keys that come once each, by the million, do to a process and to what it remembers of others. */
export const attack: Section = {
  title: 'Attack with made-up keys',

  async *run(scale) {
    const { attackKeys: keys, attackMs: withinMs } = scale;
    const rows: Cell[][] = [];
    for (const contender of FEW_MEMORY_CONTENDERS) rows.push([contender, ...(await attacked(contender, scale))]);
    yield {
      caption: `${keys.toLocaleString('en-US')} distinct keys as fast as they go, within ${withinMs / 1_000} s; memory as each library allows itself by default`,
      head: [
        '',
        'keys',
        'seconds',
        'heap grown, MB',
        'longest stall, ms',
        'in processor time, ms',
        'exhausted key still refused',
      ],
      rows,
    };
  },
};

async function attacked(contender: string, scale: Scale): Promise<Cell[]> {
  const { attackKeys, attackMs: withinMs } = scale;
  const worker = await startWorker(
    scale,
    'attack',
    { contender, keys: attackKeys, withinMs },
    {
      flags: ['--expose-gc'],
    },
  );
  try {
    const { keys, seconds, megabytes, longestMs, longestProcessorMs, isStillRefused } = await worker.ask('run');
    const figures = [seconds, megabytes, longestMs, longestProcessorMs];
    return [keys.toLocaleString('en-US'), ...figures, isStillRefused ? 'yes' : '**no**'];
  } catch (error) {
    if (error instanceof Error && error.message === 'out of memory')
      return ['-', '-', 'out of memory', '-', '-', '**no**'];
    throw error;
  } finally {
    await worker.end();
  }
}
