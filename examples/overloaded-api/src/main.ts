import { createShedder } from '@sluice/core/load';
import { drain, run, settingsFrom, urlOf } from '@sluice/example-shared';
import { createApp } from './app.js';
import { hints } from './hints.js';
import { logBorder } from './log-border.js';

const shedder = process.env.SHED !== 'off' && createShedder();
if (shedder) logBorder(shedder.state, console.log);

async function main(): Promise<void> {
  const { port } = settingsFrom(process.env);
  const server = createApp({ shedder }).listen(port);
  console.log(hints(await urlOf(server)));

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      server.close();
      drain(server);
    });
  }
}

run(main);
