// The adapter suite of fetch and of Hono, for a runtime that has none of the usual test frameworks.
import { adapterSuite } from '@sluice/conformance';
import { start as startOnFetch } from '../../packages/fetch/test/fetch-host.ts';
import { startWith as startOnHono } from '../../packages/hono/test/hono-host.ts';
import { NO_CONNECTION } from './served-in-process.mjs';

/** A test that takes longer hangs. */
const LONGEST_MS = 10_000;

const SUITES = {
  fetch: startOnFetch,
  Hono: startOnHono((c) => c.env.incoming.socket.remoteAddress),
};

/** Resolves with a test's failure; undefined if it passes. */
async function failureOf(body) {
  let timer;
  const hanging = new Promise((resolve) => {
    timer = setTimeout(resolve, LONGEST_MS, 'hangs');
  });
  const failed = body().then(
    () => undefined,
    (error) => String(error?.stack ?? error),
  );
  const failure = await Promise.race([failed, hanging]);
  clearTimeout(timer);
  return failure;
}

/** Runs all tests, one after the other. Returns how many have passed and cannot be run, and the failure of each other test. */
export async function runSuites() {
  const tests = [];
  let path = [];
  const describe = (name, body) => {
    const outer = path;
    path = [...path, name];
    body();
    path = outer;
  };
  const it = (name, body) => tests.push({ title: [...path, name].join(' > '), body });
  const results = { passed: 0, leftOut: 0, failures: {} };
  it.skip = () => {
    results.leftOut += 1;
  };
  for (const [name, start] of Object.entries(SUITES))
    adapterSuite(name, start, { handlerEnds: true }, { describe, it });
  for (const { title, body } of tests) {
    const failure = await failureOf(body);
    if (failure === undefined) results.passed += 1;
    else if (failure.includes(NO_CONNECTION)) results.leftOut += 1;
    else results.failures[title] = failure;
  }
  return results;
}
