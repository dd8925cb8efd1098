// The adapter suite of fetch and of Hono, and the suite of stores, for a runtime that has none of the usual test frameworks.
import { adapterSuite, storeSuite } from '@sluice/conformance';
import { MemoryStore } from '@sluice/fetch';
import { start as startOnFetch } from '../../packages/fetch/test/fetch-host.ts';
import { startWith as startOnHono } from '../../packages/hono/test/hono-host.ts';
import { runTests } from './run-tests.mjs';
import { NO_CONNECTION } from './served-in-process.mjs';

const HANDLER_ENDS = { handlerEnds: true };

const EVERYTHING = {
  exact: true,
  acrossKeys: true,
  margins: true,
  guarantees: true,
  calendars: true,
  blocks: true,
  algorithms: true,
};

const SUITES = {
  fetch: (runner) => adapterSuite('fetch', startOnFetch, HANDLER_ENDS, runner),
  Hono: (runner) =>
    adapterSuite(
      'Hono',
      startOnHono((c) => c.env.incoming.socket.remoteAddress),
      HANDLER_ENDS,
      runner,
    ),
  MemoryStore: (runner) => storeSuite('MemoryStore', (clock) => new MemoryStore({ clock }), EVERYTHING, runner),
};

/**
 * Runs the tests of some suites, or of all. Returns how many have passed and cannot be run, and the failure of each other test.
 *
 * @param {readonly string[]} names - of suites; none for all
 */
export function runSuites(names) {
  return runTests(
    (runner) => {
      for (const [name, register] of Object.entries(SUITES))
        if (names.length === 0 || names.includes(name)) register(runner);
    },
    (failure) => failure.includes(NO_CONNECTION),
  );
}
