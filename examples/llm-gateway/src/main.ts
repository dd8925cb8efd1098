import { drain, openStore, run, settingsFrom, urlOf } from '@sluice/example-shared';
import { createFakeProvider } from '@sluice/llm/testing';
import { createGateway } from './gateway.js';
import { hints } from './hints.js';

async function main(): Promise<void> {
  const { port, redisUrl, instances } = settingsFrom(process.env);
  const { store, ready, close } = await openStore(redisUrl, instances);
  const provider = await createFakeProvider({ answer: { input: 600, output: 200 } });
  const gateway = createGateway({ store, upstream: provider.url });
  await ready();
  const server = gateway.listen(port);
  console.log(hints(await urlOf(server)));

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all calls are answered.`);
      server.close(() => provider.close().then(close));
      drain(server);
    });
  }
}

run(main);
