import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { hints } from './hints.js';
import { openStore } from './open-store.js';
import { stop } from './stop.js';

const { PORT = '3000', TRUST_PROXY = '', REDIS_URL, INSTANCES = '1' } = process.env;

async function main(): Promise<void> {
  const { store, close } = await openStore(REDIS_URL, Number(INSTANCES));
  const server = createApp({ store, trustProxy: TRUST_PROXY || false }).listen(Number(PORT), (error) => {
    if (error) throw error;
    const { port } = server.address() as AddressInfo;
    console.log(hints(`http://localhost:${port}`));
  });

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      await stop(server);
      await close();
    });
  }
}

main();
