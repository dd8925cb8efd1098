import type { CalledFunction } from './called-functions.js';
import { Child } from './child-process.js';
import { RedisServer } from './redis-server.js';
import type { RequestOptions } from './tasks/called-functions.js';

/** The functions of our packages that an allowed request of Express calls. */
interface CalledRequest {
  readonly overMemory: readonly CalledFunction[];
  readonly overRedis: readonly CalledFunction[];
}

/** Counts the calls of an allowed request of Express, after 200 others. */
export async function calledRequest(): Promise<CalledRequest> {
  const server = await RedisServer.start();
  try {
    return { overMemory: await calledBy({}), overRedis: await calledBy({ redisPort: server.port }) };
  } finally {
    await server.stop();
  }
}

async function calledBy(options: RequestOptions): Promise<CalledFunction[]> {
  const child = await Child.start('called-functions', options);
  try {
    return await child.ask('run');
  } finally {
    await child.end();
  }
}
