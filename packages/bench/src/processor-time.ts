import { openSync, readSync } from 'node:fs';

/**
 * Milliseconds that this process has had of the processor: all its threads, so that collecting garbage counts, and what
 * neighbours take of the machine does not.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The statistics of a thread's scheduling: nanoseconds that it ran, nanoseconds that it was ready to run and had no processor, and slices. */
const SCHEDULING = '/proc/thread-self/schedstat';
const SPACE = 32;
const ZERO = 48;

const text = Buffer.alloc(128);
let opened: number | undefined;

/**
 * Milliseconds that this thread was ready to run and had no processor, because other programs or other threads of this process had all of
 * them: those of V8 that collect garbage and compile. 0 where the system does not tell: only Linux does.
 */
export function waitedForProcessorMs(): number {
  opened ??= openScheduling();
  if (opened < 0) return 0;
  readSync(opened, text, 0, text.length, 0);
  let ns = 0;
  for (let at = text.indexOf(SPACE) + 1; text[at] !== SPACE; at += 1) ns = 10 * ns + (text[at] as number) - ZERO;
  return ns / 1e6;
}

function openScheduling(): number {
  try {
    return openSync(SCHEDULING, 'r');
  } catch {
    return -1;
  }
}
