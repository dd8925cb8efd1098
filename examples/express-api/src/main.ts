import type { AddressInfo } from 'node:net';
import { drain, hints, openStore, settingsFrom } from '@sluice/example-shared';
import { createApp } from './app.js';

const { port, trustProxy, redisUrl, instances } = settingsFrom(process.env);

async function main(): Promise<void> {
  const { store, close } = await openStore(redisUrl, instances);
  const server = createApp({ store, trustProxy }).listen(port, (error) => {
    if (error) throw error;
    const { port } = server.address() as AddressInfo;
    console.log(hints(`http://localhost:${port}`));
  });

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      server.close(() => close());
      drain(server);
    });
  }
}

main();
