import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromFile, policies } from '@sluice/config';
import { drain, openStore } from '@sluice/example-shared';
import { prometheusMetrics } from '@sluice/metrics';
import { Registry } from 'prom-client';
import { createApp } from './app.js';
import { hints } from './hints.js';
import { createObservedServer } from './observed.js';
import { printPolicies } from './policy-log.js';
import { observedSettingsFrom } from './settings.js';

const { port, metrics, policyFile, trustProxy, redisUrl, instances } = observedSettingsFrom(process.env);

async function main(): Promise<void> {
  const { store, close } = await openStore(redisUrl, instances);
  const live = await policies({ source: fromFile(policyFile), store });
  printPolicies(console.log);
  const registry = new Registry();
  prometheusMetrics({ registry, policies: live });

  const app = createApp(
    { quotes: live.policy('quotes'), search: live.policy('search'), login: live.policy('login') },
    trustProxy,
  );
  const server = app.listen(port);
  const observed = createObservedServer(registry, console.log).listen(metrics.port, metrics.host);
  await Promise.all([once(server, 'listening'), once(observed, 'listening')]);
  console.log(hints(urlOf(server), urlOf(observed), policyFile));

  // Once each: a second signal ends the process as if none were caught.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      console.log(`${signal}: stopping when all requests are answered.`);
      server.close(() => observed.close(() => live.close().then(close)));
      drain(server);
      drain(observed);
    });
  }
}

const urlOf = (server: Server): string => `http://localhost:${(server.address() as AddressInfo).port}`;

main();
