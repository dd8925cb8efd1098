import type { CalledFunction } from '../called-functions.js';
import { calledRequest } from '../called-request.js';
import type { Section } from '../section.js';

/** How many source files a reader goes through to follow one request. */
export const files: Section = {
  title: 'Source files that an allowed request executes',

  async *run() {
    const called = await calledRequest();
    const [overMemory, overRedis] = [filesOf(called.overMemory), filesOf(called.overRedis)];
    yield {
      caption: 'One allowed request of Express, after 200 others',
      head: ['', 'files'],
      rows: [
        ['Sluice over memory', overMemory.length],
        ['Sluice over Redis', overRedis.length],
      ],
      notes: [
        `Over memory: ${overMemory.join(', ')}`,
        `Over Redis as well: ${overRedis.filter((file) => !overMemory.includes(file)).join(', ')}`,
        `Over memory alone: ${overMemory.filter((file) => !overRedis.includes(file)).join(', ')}`,
      ],
    };
  },
};

function filesOf(called: readonly CalledFunction[]): string[] {
  return [...new Set(called.map(({ file }) => file))].sort();
}
