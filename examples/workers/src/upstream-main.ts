import { run, urlOf } from '@sluice/example-shared';
import { settingsFrom } from './settings.js';
import { endWithParent, untilStopped } from './until-stopped.js';
import { FakeUpstream } from './upstream.js';

async function main(): Promise<void> {
  endWithParent();
  const { port } = settingsFrom(process.env);
  const { server } = new FakeUpstream({ retryAfterS: 5, isOverloaded: (nth) => nth % 150 === 0 });
  server.listen(port, '127.0.0.1');
  console.log(`The upstream listens on ${await urlOf(server)}`);
  process.send?.('listening');
  await untilStopped();
  server.close();
  server.closeAllConnections();
}

run(main);
