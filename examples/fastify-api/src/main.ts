import { drain, hints, openStore, run, settingsFrom, urlOf } from '@sluice/example-shared';
import { createApp } from './app.js';

async function main(): Promise<void> {
  const { port, trustProxy, redisUrl, instances } = settingsFrom(process.env);
  const { store, ready, close } = await openStore(redisUrl, instances);
  const app = await createApp({ store, trustProxy });
  app.addHook('preClose', async () => drain(app.server));
  app.addHook('onClose', close);
  await ready();
  await app.listen({ port, host: '0.0.0.0' });
  console.log(hints(await urlOf(app.server)));

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      app.close();
    });
  }
}

run(main);
