import { once } from 'node:events';
import { run, urlOf } from '@sluice/example-shared';
import { Queue } from 'bullmq';
import { connectTo } from './connection.js';
import { type Message, QUEUE } from './messages.js';
import { settingsFrom } from './settings.js';
import { endWithParent, untilStopped } from './until-stopped.js';
import { createWeb } from './web.js';

async function main(): Promise<void> {
  endWithParent();
  const { redisUrl, port } = settingsFrom(process.env);
  const connection = connectTo(redisUrl);
  const queue = new Queue<Message>(QUEUE, { connection });
  const server = createWeb(queue).listen(port, '127.0.0.1');
  console.log(`The web process listens on ${await urlOf(server)}`);
  process.send?.('listening');
  await untilStopped();
  server.close();
  server.closeIdleConnections();
  await once(server, 'close');
  await queue.close();
  await connection.quit();
}

run(main);
