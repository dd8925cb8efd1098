// Runs the Worker where there is only what every runtime for the web has, and prints what it has asked for that it must not.
// As in workerd, random numbers and timers throw while a program loads. Clocks stand still there: whoever reads one is listed.

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
  'console',
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

const { code, ofNode } = await bundle('worker.mjs', { format: 'iife', globalName: 'worker' });
const page = createContext({
  ...Object.fromEntries(WEB.map((name) => [name, globalThis[name]])),
  crypto: { getRandomValues: later((numbers) => crypto.getRandomValues(numbers)) },
  performance: { timeOrigin: performance.timeOrigin, now: clock('performance.now', () => performance.now()) },
  dateNow: clock('Date.now', Date.now),
  setInterval: timer(setInterval),
  setTimeout: timer(setTimeout),
});
runInContext('Date.now = dateNow', page);
const { fetch } = runInContext(`${code}\nworker.default`, page);
isLoading = false;
const answers = await askAll((url, init) => fetch(new Request(url, init)));
const isAsExpected = isDeepStrictEqual(
  answers.map(({ status }) => status),
  EXPECTED,
);
if (!isAsExpected) console.error(answers);
console.log(JSON.stringify({ ofNode, clocksRead, isAsExpected }));
