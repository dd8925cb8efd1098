import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { drain, hints, openStore, run, settingsFrom, urlOf } from '@sluice/example-shared';
import { createApp } from './app.js';

async function main(): Promise<void> {
  const { port, trustProxy, redisUrl, instances } = settingsFrom(process.env);
  const { store, ready, close } = await openStore(redisUrl, instances);
  const app = createApp({ store, trustProxy });
  await ready();
  const server = serve({
    fetch: (request, { incoming }) => app(request, incoming.socket.remoteAddress),
    port,
  }) as Server;
  console.log(hints(await urlOf(server)));

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      server.close(() => close());
      drain(server);
    });
  }
}

run(main);
