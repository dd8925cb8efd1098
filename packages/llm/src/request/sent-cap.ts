import type { DecidedCall } from './decided-call.js';

const caps = new WeakMap<object, number>();

/** Keeps the cap of the call that a request was decided with, for whoever sends it: a relay is not the only one. */
export function keepSentCap(request: unknown, { sentCap }: DecidedCall): void {
  if (typeof request === 'object' && request !== null && sentCap !== undefined) caps.set(request, sentCap);
}

/** Returns the most output tokens of each choice that the provider may be asked for; undefined without `hold: 'ceiling'`. */
export function sentCapOf(request: object): number | undefined {
  return caps.get(request);
}
