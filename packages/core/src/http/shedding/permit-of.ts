import type { Permit, Shedder } from '../../load/shedder.js';

/** The permit of a request, and by whom it was given. */
export interface Admission {
  readonly shedder: Shedder;
  readonly permit: Permit;
  /** Whether its response is a stream. Then it takes no place until it ends, whatever limits it waits for meanwhile. */
  isStream: boolean;
  /** The admission by an outer shedder. */
  readonly outer: Admission | undefined;
}

/** Holds the admission of a request. The symbol is the same for all copies of this package in a process. */
const ADMISSION = Symbol.for('sluice.admission');

interface Bearer {
  [ADMISSION]?: Admission;
}

interface Carrier extends Bearer {
  readonly raw?: object | undefined;
  readonly rawHeaders?: Bearer | null;
}

/**
 * Returns the object that carries the admission: Node's list of raw header fields, because a further property of a request
 * is slow in Express; otherwise the request.
 */
function bearerOf(carrier: Carrier): Bearer {
  const node: Carrier = carrier.raw ?? carrier;
  const { rawHeaders } = node;
  return typeof rawHeaders === 'object' && rawHeaders !== null && Object.isExtensible(rawHeaders) ? rawHeaders : node;
}

/** Returns the permit that the nearest `shedLoad` has got for a request; undefined without one. */
export function permitOf(request: object): Permit | undefined {
  return bearerOf(request)[ADMISSION]?.permit;
}

/** Whether the shedder has admitted the request before: on an application around this one, or before a 404 handler. */
export function isAdmittedBy(shedder: Shedder, request: object): boolean {
  let admission = bearerOf(request)[ADMISSION];
  while (admission !== undefined && admission.shedder !== shedder) admission = admission.outer;
  return admission !== undefined;
}

/** Notes that the shedder has admitted the request. */
export function keepPermit(request: object, shedder: Shedder, permit: Permit): Admission {
  const bearer = bearerOf(request);
  const admission = { shedder, permit, isStream: false, outer: bearer[ADMISSION] };
  bearer[ADMISSION] = admission;
  return admission;
}

/** Lets the request take no place under any limit in flight: it waits for its turn, or is refused. See `Permit.pause`. */
export function pausePermits(request: object): void {
  for (let admission = bearerOf(request)[ADMISSION]; admission; admission = admission.outer) admission.permit.pause();
}

/** Ends what `pausePermits` began, but for a stream. */
export function resumePermits(request: object): void {
  for (let admission = bearerOf(request)[ADMISSION]; admission; admission = admission.outer) {
    if (!admission.isStream) admission.permit.resume();
  }
}
