import { adapterSuite } from '@sluice/conformance';
import { inCi } from '@sluice/test-kit/adapter-suite-in-ci';
import express5 from 'express';
import express4 from 'express4';
import { byItself, startOn } from './express-host.js';

const CLAIMS = { handlerEnds: 'Express does not tell when a handler ends' };

adapterSuite('Express 5', startOn(express5), CLAIMS, inCi('synchronous'));
adapterSuite(
  'Express 4, in an application that calls its limiters itself',
  startOn(express4, byItself),
  CLAIMS,
  inCi('asynchronous'),
);

// `npm run proof -- suites` runs the other pairs.
if (process.env.SLUICE_SUITES === 'full') {
  adapterSuite('Express 4', startOn(express4), CLAIMS);
  adapterSuite('Express 5, in an application that calls its limiters itself', startOn(express5, byItself), CLAIMS);
}
