import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { drain, hints, openStore, settingsFrom } from '@sluice/example-shared';
import { createApp } from './app.js';

const { port, trustProxy, redisUrl, instances } = settingsFrom(process.env);

async function main(): Promise<void> {
  const { store, close } = await openStore(redisUrl, instances);
  const { fetch } = createApp({ store, trustProxy });
  const server = serve({ fetch, port }, ({ port }) => console.log(hints(`http://localhost:${port}`))) as Server;

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
