import { Child } from '../child-process.js';
import { MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import type { Section } from '../section.js';
import type { Cell } from '../table.js';

/** What remembering a key costs. */
export const liveKeys: Section = {
  title: 'Bytes per live key',

  async *run({ liveKeys: keys }) {
    const rows: Cell[][] = [];
    for (const contender of MEMORY_CONTENDERS.keys()) {
      const child = await Child.start(
        'live-keys',
        { contender, keys },
        {
          flags: ['--expose-gc', '--max-old-space-size=4096'],
        },
      );
      try {
        rows.push([contender, await child.ask('run')]);
      } finally {
        await child.end();
      }
    }
    const caption = `Bytes for each of ${keys.toLocaleString('en-US')} keys that made one request, its 36 characters included`;
    yield { caption, head: ['', 'bytes per key'], rows };
  },
};
