import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Handler } from './handler.js';
import { placeInterceptor, watchSlots } from './interceptor-placement.js';
import { checkPolicies } from './policy-check.js';
import { RateLimitService } from './rate-limit-service.js';

/** Checks and prepares all handlers when the application starts. */
@Injectable()
export class HandlerSetup implements OnModuleInit {
  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(RateLimitService) private readonly rateLimits: RateLimitService,
  ) {
    // At this time all classes are known, and Nest has not read the interceptors of any.
    for (const handler of this.#providers.flatMap(({ metatype }) => handlersIn(metatype?.prototype))) {
      placeInterceptor(handler);
      watchSlots(handler, rateLimits);
    }
  }

  /** Also checks objects made by factories. Nest initializes global modules before all others. */
  onModuleInit(): void {
    // The properties of a provider can be anything, such as values of a proxy, so only its prototype is read.
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

/** Returns the methods of a class. An object in place of a class may have none. */
export function handlersIn(prototype: Readonly<Record<string, object>> | null = null): Handler[] {
  const names = new MetadataScanner().getAllMethodNames(prototype);
  return names.map((name) => ({ type: Object(prototype?.constructor), method: Object(prototype?.[name]) }));
}
