import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { checkAddressless } from '@sluice/core/http';
import { policiesFor } from './decorators.js';
import { RateLimitService } from './rate-limit-service.js';

/** What `@MessagePattern`, `@EventPattern` and `@GrpcMethod` leave on a handler. */
const MESSAGE_PATTERN = 'microservices:pattern';

/** Looks at every handler when the application starts, so that no mistake in a decorator waits for a request. */
@Injectable()
export class PolicyCheck implements OnModuleInit {
  @Inject(DiscoveryService)
  private readonly discovery!: DiscoveryService;
  @Inject(RateLimitService)
  private readonly rateLimits!: RateLimitService;

  onModuleInit(): void {
    const scanner = new MetadataScanner();
    for (const { instance } of [...this.discovery.getControllers(), ...this.discovery.getProviders()]) {
      // Decorators speak to the class. What a provider itself answers may be anything: its values, or what a proxy makes up.
      const prototype = Object.getPrototypeOf(Object(instance));
      if (typeof prototype?.constructor !== 'function') continue;
      for (const method of scanner.getAllMethodNames(prototype)) {
        this.#check(prototype.constructor, method, prototype[method]);
      }
    }
  }

  /** Also that every name is known which is chosen or skipped here. */
  #check(type: { readonly name: string }, method: string, handler: object): void {
    const policies = policiesFor(handler, type, this.rateLimits);
    if (!Reflect.hasMetadata(MESSAGE_PATTERN, handler)) return;
    for (const policy of policies) {
      checkAddressless(this.rateLimits.policy(policy), `${type.name}.${method} takes messages`, 'say @SkipRateLimit()');
    }
  }
}
