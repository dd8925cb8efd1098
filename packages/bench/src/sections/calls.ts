import type { CalledFunction } from '../called-functions.js';
import { calledRequest } from '../called-request.js';
import type { Section } from '../section.js';

/** How many of our functions a reader steps through to follow one request. */
export const calls: Section = {
  title: 'Calls of our functions in an allowed request',

  async *run() {
    const { overMemory, overRedis } = await calledRequest();
    yield {
      caption: 'One allowed request of Express, after 200 others',
      head: ['', 'calls', 'functions'],
      rows: [
        ['Sluice over memory', callsOf(overMemory), overMemory.length],
        ['Sluice over Redis', callsOf(overRedis), overRedis.length],
      ],
      notes: [`Over memory: ${listOf(overMemory)}`, `Over Redis: ${listOf(overRedis)}`],
    };
  },
};

function callsOf(called: readonly CalledFunction[]): number {
  return called.reduce((sum, { calls }) => sum + calls, 0);
}

/** The functions by file: `core/values/key.ts: encodeKey, isPlain 2; redis/batcher.ts: ask`. */
function listOf(called: readonly CalledFunction[]): string {
  const files = [...new Set(called.map(({ file }) => file))].sort();
  return files
    .map(
      (file) =>
        `${file}: ${called
          .filter((one) => one.file === file)
          .map(textOf)
          .join(', ')}`,
    )
    .join('; ');
}

function textOf({ name, calls }: CalledFunction): string {
  const shown = name === '' ? 'one without a name' : name;
  return calls === 1 ? shown : `${shown} ${calls} times`;
}
