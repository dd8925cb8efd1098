// The adapter suite of fetch and of Hono, for a runtime that has none of the usual test frameworks.
import { adapterSuite } from '@sluice/conformance';
import { start as startOnFetch } from '../../packages/fetch/test/fetch-host.ts';
import { startWith as startOnHono } from '../../packages/hono/test/hono-host.ts';
import { runTests } from './run-tests.mjs';
import { NO_CONNECTION } from './served-in-process.mjs';

const SUITES = {
  fetch: startOnFetch,
  Hono: startOnHono((c) => c.env.incoming.socket.remoteAddress),
};

/** Runs all tests. Returns how many have passed and cannot be run, and the failure of each other test. */
export function runSuites() {
  return runTests(
    (runner) => {
      for (const [name, start] of Object.entries(SUITES)) adapterSuite(name, start, { handlerEnds: true }, runner);
    },
    (failure) => failure.includes(NO_CONNECTION),
  );
}
