import { Child } from '../child-process.js';
import { RedisServer } from '../redis-server.js';
import type { Section } from '../section.js';
import type { FilesOptions } from '../tasks/files.js';

/** How many source files a reader goes through to follow one request. */
export const files: Section = {
  title: 'Source files that an allowed request executes',

  async *run() {
    const server = await RedisServer.start();
    try {
      const overMemory = await filesOf({});
      const overRedis = await filesOf({ redisPort: server.port });
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
    } finally {
      await server.stop();
    }
  },
};

async function filesOf(options: FilesOptions): Promise<string[]> {
  const child = await Child.start('files', options);
  try {
    return await child.ask('run');
  } finally {
    await child.end();
  }
}
