import type { AddressInfo } from 'node:net';
import { drain, hints, openStore, settingsFrom } from '@sluice/example-shared';
import { createApp } from './app.js';

const { port, trustProxy, redisUrl, instances } = settingsFrom(process.env);

async function main(): Promise<void> {
  const { store, close } = await openStore(redisUrl, instances);
  const app = await createApp({ store, trustProxy });
  app.addHook('preClose', async () => drain(app.server));
  app.addHook('onClose', close);
  await app.listen({ port, host: '0.0.0.0' });
  console.log(hints(`http://localhost:${(app.server.address() as AddressInfo).port}`));

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      app.close();
    });
  }
}

main();
