import { once } from 'node:events';
import { drain, urlOf } from '@sluice/example-shared';
import { Queue } from 'bullmq';
import { connectTo } from './connection.js';
import { createGateway } from './gateway.js';
import { Providers } from './providers.js';
import { QUEUE, type Task } from './tasks.js';
import { createUpstream } from './upstream.js';

/** A platform that runs: the gateway, its queue and the providers. Workers are processes of their own. */
export interface Platform {
  readonly url: string;
  readonly providers: Providers;
  close(): Promise<void>;
}

export async function startPlatform(redisUrl: string, port: number): Promise<Platform> {
  const { connection, store, close } = connectTo(redisUrl);
  const queue = new Queue<Task>(QUEUE, { connection });
  const providers = await Providers.start();
  const ask = createUpstream(providers.urls, store);
  const server = createGateway({ store, queue, providers, ask }).listen(port);
  return {
    url: await urlOf(server),
    providers,
    async close() {
      server.close();
      drain(server);
      if (server.listening) await once(server, 'close');
      await queue.close();
      await providers.close();
      await close();
    },
  };
}
