import { setMaxListeners } from 'node:events';
import { connectTo } from './connection.js';
import { createTaskWorker } from './worker.js';

/** A worker process. It ends when it is asked to, or when the process that has started it is gone. */
async function main(): Promise<void> {
  const { REDIS_URL = '', GATEWAY_URL = '' } = process.env;
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  const { connection, store, close } = connectTo(REDIS_URL);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every task that waits listens to it
  const { signal } = stopping;
  const worker = createTaskWorker({ connection, store, gatewayUrl: GATEWAY_URL, concurrency: 5, signal });
  worker.on('error', (error) => console.error(error));
  await worker.waitUntilReady();
  // Ctrl+C in a terminal asks all processes of it; the platform asks those that it has started when it has ended itself.
  process.on('SIGINT', () => {});
  await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
  stopping.abort();
  await worker.close();
  await close();
}

main();
