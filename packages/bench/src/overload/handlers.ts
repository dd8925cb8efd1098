import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '../random.js';
import { connectBackend } from './backend.js';
import { work } from './cpu-work.js';
import { exponentialWork } from './exponential.js';

/** What a request of the measured servers does. All times are means of exponential distributions. */
export const HANDLERS = {
  sync: '2.4 ms of processor time',
  mixed: '1.4 ms of processor time, 20 ms of I/O, 1 ms of processor time',
  downstream: '0.4 ms of processor time, and one of five servers behind for 20 ms',
} as const;

export type HandlerName = keyof typeof HANDLERS;

/** The handlers that are short of processor time. The other one waits for what is behind it. */
const BOUND_BY_PROCESSOR: readonly HandlerName[] = ['sync', 'mixed'];
export const isBoundByProcessor = (handler: HandlerName): boolean => BOUND_BY_PROCESSOR.includes(handler);

/** How fast the work is done. */
export interface Pace {
  /** How many steps are to be a millisecond; 0 while a server is warmed, which does its work in no time then, and waits for nothing. */
  stepsPerMs: number;
  /** What has been done, and how long it took. */
  steps: number;
  ms: number;
}

/** Does the work of a request. */
export type Handler = () => void | Promise<void>;

export interface HandlerOptions {
  readonly handler: HandlerName;
  readonly pace: Pace;
  /** Where the servers behind listen. */
  readonly backendPort: number;
}

export async function handlerOf({ handler, pace, backendPort }: HandlerOptions): Promise<Handler> {
  const random = randomOf(20_261_123);
  const cpu = (meanMs: number): (() => void) => {
    const drawMs = exponentialWork(meanMs, random);
    return () => {
      const steps = drawMs() * pace.stepsPerMs;
      const startMs = performance.now();
      work(steps);
      pace.ms += performance.now() - startMs;
      pace.steps += steps;
    };
  };
  if (handler === 'sync') return cpu(2.4);
  if (handler === 'mixed') {
    const [before, ioMs, after] = [cpu(1.4), exponentialWork(20, random), cpu(1)];
    return async () => {
      before();
      if (pace.stepsPerMs > 0) await pause(ioMs());
      after();
    };
  }
  const ask = await connectBackend(backendPort);
  const before = cpu(0.4);
  return async () => {
    before();
    if (pace.stepsPerMs > 0) await ask();
  };
}
