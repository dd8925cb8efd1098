import { policiesFor } from './decorators.js';
import type { Handler } from './handler.js';
import { watchHandler } from './handler-watch.js';
import { RateLimitInterceptor } from './rate-limit-interceptor.js';
import type { RateLimitService } from './rate-limit-service.js';

/** What `@UseInterceptors` leaves on a class, and `@Get` and its like on a method. */
const INTERCEPTORS = '__interceptors__';
const PATH = 'path';

const INTERCEPTOR = new RateLimitInterceptor();

/**
 * Puts the interceptor before all others of a class that has a handler which is no route. Routes need none, and one for the
 * whole application would cost each of them more than its limit does.
 */
export function placeInterceptor({ type, method }: Handler): void {
  // Decorators leave something on whatever a framework is to call.
  if (Reflect.getMetadataKeys(method).length === 0 || Reflect.hasMetadata(PATH, method)) return;
  const others: readonly unknown[] = Reflect.getMetadata(INTERCEPTORS, type) ?? [];
  if (!others.includes(INTERCEPTOR)) Reflect.defineMetadata(INTERCEPTORS, [INTERCEPTOR, ...others], type);
}

/** Has the end of a handler told whose calls may hold a slot. All others, such as most routes, are left as they are. */
export function watchSlots(handler: Handler, rateLimits: RateLimitService): void {
  if (Reflect.getMetadataKeys(handler.method).length > 0 && mayHoldSlots(handler, rateLimits)) watchHandler(handler);
}

function mayHoldSlots({ type, method }: Handler, rateLimits: RateLimitService): boolean {
  try {
    return policiesFor(method, type, rateLimits).some((policy) => rateLimits.policy(policy).mayHoldSlots);
  } catch {
    // A mistake in a decorator is told of when the application starts.
    return false;
  }
}
