import { setMaxListeners } from 'node:events';
import { RedisStore } from '@sluice/redis';
import { connectTo } from './connection.js';
import { settingsFrom } from './settings.js';
import { endWithParent, untilStopped } from './until-stopped.js';
import { createUpstreamLimiter } from './upstream-limiter.js';
import { createSender } from './worker.js';

endWithParent();
const { redisUrl, upstreamUrl, quota } = settingsFrom(process.env);
const connection = connectTo(redisUrl);
// Nobody waits for a job as for a web page, so Redis has more time to answer.
const store = new RedisStore({ client: connection, timeout: '2s' });
const limiter = createUpstreamLimiter(quota, store);
const stopping = new AbortController();
setMaxListeners(0, stopping.signal); // every job that waits listens to it
const worker = createSender({
  connection,
  concurrency: 20,
  limiter,
  upstreamUrl,
  signal: stopping.signal,
  onPause: (waitMs) => console.log(`${new Date().toISOString()} The upstream asked for a pause of ${waitMs} ms`),
});
worker.on('error', (error) => console.error(error));

async function main(): Promise<void> {
  await worker.waitUntilReady();
  console.log('A worker is ready');
  await untilStopped();
  stopping.abort();
  await worker.close(); // when all requests that were sent are answered
  await store.close();
  await connection.quit();
}

main();
