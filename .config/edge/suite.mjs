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

/** In a Worker, no request waits for another one, or gives way to it. */
const TOGETHER = [
  / > refused requests that may wait > take a slot as soon as it is free$/,
  / > refused requests that may wait > give way to a key with fewer requests, if one key has filled all places$/,
  / > a leaky bucket > lets a request of the key with most of them give way, if all places are taken$/,
];

const isWorker = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

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
    {
      byTitle: (title) => isWorker && TOGETHER.some((pattern) => pattern.test(title)),
      byFailure: (failure) => failure.includes(NO_CONNECTION),
    },
  );
}
