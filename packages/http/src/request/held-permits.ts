import { bearerOf } from './bearer.js';

/** What `shedLoad` has given a request, as far as limits need it. The shedders have the rest. */
export interface HeldPermit {
  /** The place of the request among those in flight, which it leaves while it waits. */
  readonly permit: { pause(): void; resume(): void };
  /** Whether its response is a stream. Then it takes no place until it ends, whatever limits it waits for meanwhile. */
  readonly isStream: boolean;
  /** What an outer `shedLoad` has given it. */
  readonly outer: HeldPermit | undefined;
}

/** Holds the permits of a request. The symbol is the same for all copies of this package in a process. */
const ADMISSION = Symbol.for('sluice.admission');

interface Bearer {
  [ADMISSION]?: HeldPermit;
}

/** Returns what the nearest `shedLoad` has given a request; undefined without one. */
export function heldPermitOf(request: object): HeldPermit | undefined {
  const bearer: Bearer = bearerOf(request);
  return bearer[ADMISSION];
}

/** Keeps what a `shedLoad` has given a request, and all copies of it: they are one request in flight. */
export function holdPermit(request: object, held: HeldPermit): void {
  const bearer: Bearer = bearerOf(request);
  bearer[ADMISSION] = held;
}

/** Lets the request take no place under any limit in flight: it waits for its turn, or is refused. See `Permit.pause`. */
export function pausePermits(request: object | undefined): void {
  for (let held = request && heldPermitOf(request); held; held = held.outer) held.permit.pause();
}

/** Ends what `pausePermits` began, but for a stream. */
export function resumePermits(request: object | undefined): void {
  for (let held = request && heldPermitOf(request); held; held = held.outer) if (!held.isStream) held.permit.resume();
}
