import { type HeldPermit, heldPermitOf, holdPermit } from '@sluice/http/request/held-permits';
import type { Permit, Shedder } from '../shedder.js';

/** The permit of a request, and by whom it was given. */
export interface Admission extends HeldPermit {
  readonly shedder: Shedder;
  readonly permit: Permit;
  isStream: boolean;
  /** The admission by an outer shedder. */
  readonly outer: Admission | undefined;
}

/** Returns the admission by the nearest `shedLoad`. Nobody else holds permits. */
const admissionOf = (request: object): Admission | undefined => heldPermitOf(request) as Admission | undefined;

/** Returns the permit that the nearest `shedLoad` has got for a request; undefined without one. */
export function permitOf(request: object): Permit | undefined {
  return admissionOf(request)?.permit;
}

/** Whether the shedder has admitted the request before: on an application around this one, or before a 404 handler. */
export function isAdmittedBy(shedder: Shedder, request: object): boolean {
  let admission = admissionOf(request);
  while (admission !== undefined && admission.shedder !== shedder) admission = admission.outer;
  return admission !== undefined;
}

/** Notes that the shedder has admitted the request. */
export function keepPermit(request: object, shedder: Shedder, permit: Permit): Admission {
  const admission = { shedder, permit, isStream: false, outer: admissionOf(request) };
  holdPermit(request, admission);
  return admission;
}
