// Why it is so: core/docs/why/frameworks.md

import { policiesFor } from './decorators.js';
import type { Handler } from './handler.js';
import { watchHandler } from './handler-watch.js';
import { RateLimitInterceptor } from './rate-limit-interceptor.js';
import type { RateLimitService } from './rate-limit-service.js';

/** The metadata keys of `@UseInterceptors` on a class, and of `@Get` and similar decorators on a method. */
const INTERCEPTORS = '__interceptors__';
const PATH = 'path';

const INTERCEPTOR = new RateLimitInterceptor();

/**
 * Puts the interceptor before all others of a class, if a handler of the class is no route. Routes need none. A global
 * interceptor would cost each route more than its limit does.
 */
export function placeInterceptor({ type, method }: Handler): void {
  // A decorator leaves metadata on every method that a framework calls.
  if (Reflect.getMetadataKeys(method).length === 0 || Reflect.hasMetadata(PATH, method)) return;
  const others: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, type) ?? [];
  if (!others.includes(INTERCEPTOR)) Reflect.defineMetadata(INTERCEPTORS, [INTERCEPTOR, ...others], type);
}

/**
 * Makes a handler report its end if its calls may hold a slot. Other handlers, such as most routes, are not changed.
 */
export function watchSlots(handler: Handler, rateLimits: RateLimitService): void {
  if (Reflect.getMetadataKeys(handler.method).length > 0 && mayHoldSlots(handler, rateLimits)) watchHandler(handler);
}

function mayHoldSlots({ type, method }: Handler, rateLimits: RateLimitService): boolean {
  try {
    return policiesFor(method, type, rateLimits).some((policy) => rateLimits.policy(policy).mayHoldSlots);
  } catch {
    // A mistake in a decorator is reported when the application starts.
    return false;
  }
}
