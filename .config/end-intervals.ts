import { afterAll } from '@jest/globals';

/**
 * Ends a file's intervals with it. A memory store sweeps until its keys have expired, which by a clock that no test moves
 * any more is never: what was dropped unclosed would go on beside every later file, and keep its own from being collected.
 */
const { setInterval } = globalThis;
const intervals: NodeJS.Timeout[] = [];

globalThis.setInterval = Object.assign((...args: Parameters<typeof setInterval>) => {
  const interval = setInterval(...args);
  intervals.push(interval);
  return interval;
}, setInterval);

afterAll(() => intervals.forEach(clearInterval));
