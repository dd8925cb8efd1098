// Runs the Worker where there is only what every runtime for the web has, and prints what it has asked for that it must not.
// As in workerd, random numbers and timers throw while a program loads. Clocks stand still there: whoever reads one is listed.
// Then it runs where Node only seems to be, as in the Edge Runtime of Next.js: functions are there that throw when they are called.

import { isDeepStrictEqual } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { bundle } from './bundle.mjs';
import { askAll, EXPECTED } from './questions.mjs';

/** What may be used at any time. */
const WEB = [
  'AbortController',
  'AbortSignal',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'TransformStream',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'queueMicrotask',
];

let isLoading = true;
const clocksRead = [];

/** Returns a function that may be called as soon as the program has been loaded. */
const later =
  (call) =>
  (...args) => {
    if (isLoading) throw new Error(`${call.name} is not allowed while a Worker loads`);
    return call(...args);
  };

const clock = (name, now) => () => {
  if (isLoading) clocksRead.push(name);
  return now();
};

/** In a page, and in workerd, a timer is a number. */
const timer = (start) => later((...args) => Number(start(...args).unref()));

/** Returns functions of Node that throw, by their names. */
const throwing = (names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      () => {
        throw new Error(`${name} is not supported`);
      },
    ]),
  );

/** What the Edge Runtime has beside what the web has. */
const EDGE_RUNTIME = {
  process: { env: {}, ...throwing(Object.keys(process).filter((name) => typeof process[name] === 'function')) },
  ...throwing(['clearImmediate', 'setImmediate']),
};

const { code, ofNode } = await bundle('worker.mjs', { format: 'iife', globalName: 'worker' });

/** Runs the Worker with more globals than the web has. Returns whether it answers as it should, and its warnings. */
async function run(globals) {
  const warnings = [];
  const page = createContext({
    ...Object.fromEntries(WEB.map((name) => [name, globalThis[name]])),
    console: { ...console, warn: (text) => warnings.push(/\[(\w+)\]/.exec(text)?.[1]) },
    crypto: { getRandomValues: later((numbers) => crypto.getRandomValues(numbers)) },
    performance: { timeOrigin: performance.timeOrigin, now: clock('performance.now', () => performance.now()) },
    dateNow: clock('Date.now', Date.now),
    setInterval: timer(setInterval),
    setTimeout: timer(setTimeout),
    ...globals,
  });
  runInContext('Date.now = dateNow', page);
  isLoading = true;
  const { fetch } = runInContext(`${code}\nworker.default`, page);
  isLoading = false;
  const answers = await askAll((url, init) => fetch(new Request(url, init)));
  const isAsExpected = isDeepStrictEqual(
    answers.map(({ status }) => status),
    EXPECTED,
  );
  if (!isAsExpected) console.error(answers);
  return { isAsExpected, warnings };
}

const onTheWeb = await run({});
const onTheEdge = await run(EDGE_RUNTIME);
console.log(JSON.stringify({ ofNode, clocksRead, onTheWeb, onTheEdge }));
