import type { Invocation } from './call.js';

const CALL = Symbol('sluice.call');

/** The call that an object carries, made when it is asked for the first time. */
export function callAt(bearer: object & { [CALL]?: Invocation }, make: () => Invocation): Invocation {
  bearer[CALL] ??= make();
  return bearer[CALL];
}
