import { IncomingMessage } from 'node:http';
import { chainOf, type HttpReservation, knownChainOf } from '@sluice/core/http';
import type { Request } from 'express';

/** The decision that `keepReservation` has kept for a request. */
export function reservationOf(request: object): HttpReservation | undefined {
  return knownChainOf(request)?.reservation;
}

/** Keeps a decision with the chain of a request, for `reservationOf`. */
export function keepReservation(request: object, reservation: HttpReservation | undefined): void {
  chainOf(request).reservation = reservation;
}

/** Prototypes whose requests have a `rateLimit` by what they inherit. */
const prepared = new WeakSet<object>();

/**
 * Keeps a decision as `req.rateLimit`: a property that the requests of an application inherit. Express changes the prototype
 * of each request, which leaves it with a hidden class of its own, and a property of its own would cost more than a limiter
 * does.
 */
export function keepFor(reservation: HttpReservation, req: Request): void {
  const prototype = Object.getPrototypeOf(req);
  if (prepared.has(prototype)) {
    keepReservation(req, reservation);
  } else {
    prepare(prototype);
    // Others may have given it a property of its own by now.
    req.rateLimit = reservation;
  }
}

/** Not where nothing may be added, nor for Node's own requests, which others give to Express's middleware. */
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

/** What all requests of Express inherit: an application's, and those of the applications that it is mounted in. */
function shared(prototype: object): object {
  const parent: object = Object.getPrototypeOf(prototype);
  return parent === IncomingMessage.prototype ? prototype : shared(parent);
}
