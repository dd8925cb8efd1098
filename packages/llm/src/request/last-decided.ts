import type { PlannedCall } from './planned-call.js';

/** What whoever sends a call has to know: a relay is not the only one. */
type Decided = Pick<PlannedCall, 'sentCap' | 'hold' | 'ruled'>;

const decided = new WeakMap<object, Decided>();

/** Keeps the call that a request was decided with. */
export function keepDecided(request: unknown, call: Decided): void {
  if (typeof request === 'object' && request !== null) decided.set(request, call);
}

/** Returns the call that a request was decided with; undefined if the limits are not those of `createLlm`. */
export function lastDecided(request: object): Decided | undefined {
  return decided.get(request);
}
