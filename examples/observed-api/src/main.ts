import { fromFile, policies } from '@sluice/config';
import { drain, openStore, run, urlOf } from '@sluice/example-shared';
import { prometheusMetrics } from '@sluice/metrics';
import { Registry } from 'prom-client';
import { createApp } from './app.js';
import { hints } from './hints.js';
import { createObservedServer } from './observed.js';
import { printPolicies } from './policy-log.js';
import { observedSettingsFrom } from './settings.js';

async function main(): Promise<void> {
  const { port, metrics, policyFile, trustProxy, redisUrl, instances } = observedSettingsFrom(process.env);
  const { store, ready, close } = await openStore(redisUrl, instances);
  const live = await policies({ source: fromFile(policyFile), store });
  printPolicies(console.log);
  const registry = new Registry();
  prometheusMetrics({ registry, policies: live });

  const app = createApp(
    {
      quotes: live.policy('quotes'),
      search: live.policy('search'),
      login: live.policy('login'),
      // Whoever has two exports running waits for the next one, for two seconds at most.
      exports: live.policy('exports', { maxWait: '2s' }),
    },
    trustProxy,
  );
  await ready();
  const server = app.listen(port);
  const observed = createObservedServer(registry, console.log).listen(metrics.port, metrics.host);
  const [url, observedUrl] = await Promise.all([urlOf(server), urlOf(observed)]);
  console.log(hints(url, observedUrl, policyFile));

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

run(main, 'PORT or METRICS_PORT');
