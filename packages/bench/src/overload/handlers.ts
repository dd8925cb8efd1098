import { setTimeout as pause } from 'node:timers/promises';
import { randomOf } from '../random.js';
import { connectBackend } from './backend.js';
import { work } from './cpu-work.js';
import { exponential } from './exponential.js';

/** What a request of the measured servers does. All times are means of exponential distributions. */
export const HANDLERS = {
  sync: '2.4 ms of processor time',
  mixed: '1.4 ms of processor time, 20 ms of I/O, 1 ms of processor time',
  downstream: '0.4 ms of processor time, and one of five servers behind for 20 ms',
} as const;

export type HandlerName = keyof typeof HANDLERS;

/** Does the work of a request. */
export type Handler = () => void | Promise<void>;

export interface HandlerOptions {
  readonly handler: HandlerName;
  readonly stepsPerMs: number;
  /** Where the servers behind listen. */
  readonly backendPort: number;
}

export async function handlerOf({ handler, stepsPerMs, backendPort }: HandlerOptions): Promise<Handler> {
  const random = randomOf(20_261_123);
  const burn = (meanMs: number): void => work(exponential(meanMs, random) * stepsPerMs);
  if (handler === 'sync') return () => burn(2.4);
  if (handler === 'mixed') {
    return async () => {
      burn(1.4);
      await pause(exponential(20, random));
      burn(1);
    };
  }
  const ask = await connectBackend(backendPort);
  return async () => {
    burn(0.4);
    await ask();
  };
}
