import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { settingsFrom } from './settings.js';
import { untilStopped } from './until-stopped.js';
import { FakeUpstream } from './upstream.js';

const { port } = settingsFrom(process.env);
const { server } = new FakeUpstream({ retryAfterS: 5, isOverloaded: (nth) => nth % 150 === 0 });
server.listen(port, '127.0.0.1');

async function main(): Promise<void> {
  await once(server, 'listening');
  console.log(`The upstream listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await untilStopped();
  server.close();
  server.closeAllConnections();
}

main();
