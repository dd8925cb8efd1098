import { adapterSuite } from '@sluice/conformance';
import { byItself, start, startWith } from './fastify-host.js';

adapterSuite('Fastify 5', start, { handlerEnds: true });
adapterSuite('Fastify 5, in an application that awaits its hooks itself', (app) => startWith(byItself, app), {
  handlerEnds: true,
});
