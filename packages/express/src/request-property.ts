import { IncomingMessage } from 'node:http';
import { chainOf, type HttpReservation, knownChainOf } from '@sluice/core/http';
import type { Request } from 'express';

/** Returns the reservation that `keepReservation` has kept for a request. */
export function reservationOf(request: object): HttpReservation | undefined {
  return knownChainOf(request)?.reservation;
}

/** Keeps a reservation in the chain of a request, for `reservationOf`. */
export function keepReservation(request: object, reservation: HttpReservation | undefined): void {
  chainOf(request).reservation = reservation;
}

/** Prototypes whose requests inherit a `rateLimit`. */
const prepared = new WeakSet<object>();

/**
 * Keeps a reservation as `req.rateLimit`, a property that the requests of an application inherit. Express changes the
 * prototype of each request, which gives it its own hidden class. An own property would then cost more than a limiter
 * does.
 */
export function keepFor(reservation: HttpReservation, req: Request): void {
  const prototype = Object.getPrototypeOf(req);
  if (prepared.has(prototype)) {
    keepReservation(req, reservation);
  } else {
    prepare(prototype);
    // Somebody may have given it an own property meanwhile.
    req.rateLimit = reservation;
  }
}

/** Not if nothing can be added, and not for Node's own requests, which other frameworks pass to Express middleware. */
function prepare(prototype: object): void {
  if (!(prototype instanceof IncomingMessage)) return;
  if (Reflect.defineProperty(shared(prototype), 'rateLimit', RATE_LIMIT)) prepared.add(prototype);
}

const RATE_LIMIT: PropertyDescriptor & ThisType<Request> = {
  configurable: true,
  enumerable: true,
  get() {
    return reservationOf(this);
  },
  set(reservation: HttpReservation | undefined) {
    keepReservation(this, reservation);
  },
};

/**
 * Returns the prototype that all requests of Express inherit: those of an application, and of the applications that it
 * is mounted in.
 */
function shared(prototype: object): object {
  const parent: object = Object.getPrototypeOf(prototype);
  return parent === IncomingMessage.prototype ? prototype : shared(parent);
}
