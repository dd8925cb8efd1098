import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import { byItself, start, startWith } from './fastify-host.js';

adapterSuite('Fastify 5', start, { handlerEnds: true }, inCi('asynchronous'));

// `npm run proof -- suites` runs it, too.
if (process.env.SLUICE_SUITES === 'full') {
  adapterSuite('Fastify 5, in an application that awaits its hooks itself', (app) => startWith(byItself, app), {
    handlerEnds: true,
  });
}
