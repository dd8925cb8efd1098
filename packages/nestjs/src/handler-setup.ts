import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Handler } from './handler.js';
import { placeInterceptor, watchSlots } from './interceptor-placement.js';
import { checkPolicies } from './policy-check.js';
import { RateLimitService } from './rate-limit-service.js';

/** Looks at everything that may be a handler when the application starts. */
@Injectable()
export class HandlerSetup implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(RateLimitService) private readonly rateLimits: RateLimitService,
  ) {
    // All classes are known by now, and Nest has asked for the interceptors of none.
    for (const handler of this.#providers.flatMap(({ metatype }) => handlersIn(metatype?.prototype))) {
      placeInterceptor(handler);
      watchSlots(handler, rateLimits);
    }
  }

  /** Also at what factories have made. Nest initializes global modules before all others. */
  onModuleInit(): void {
    // What a provider itself answers may be anything: its values, or what a proxy makes up.
    for (const handler of this.#providers.flatMap(({ instance }) =>
      handlersIn(Object.getPrototypeOf(Object(instance))),
    )) {
      placeInterceptor(handler);
      checkPolicies(handler, this.rateLimits);
      watchSlots(handler, this.rateLimits);
    }
  }

  get #providers() {
    return [...this.discovery.getControllers(), ...this.discovery.getProviders()];
  }
}

/** The methods of a class. An object that is in the place of a class may have none. */
export function handlersIn(prototype: Readonly<Record<string, object>> | null = null): Handler[] {
  const names = new MetadataScanner().getAllMethodNames(prototype);
  return names.map((name) => ({ type: Object(prototype?.constructor), method: Object(prototype?.[name]) }));
}
