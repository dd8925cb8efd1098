import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { SluiceError } from '@sluice/core';
import { policiesFor } from './decorators.js';
import { RateLimitService } from './rate-limit-service.js';

/** What `@MessagePattern`, `@EventPattern` and `@GrpcMethod` leave on a handler. */
const MESSAGE_PATTERN = 'microservices:pattern';

/** Looks at every handler when the application starts, so that no mistake in a decorator waits for a request. */
@Injectable()
export class PolicyCheck implements OnModuleInit {
  readonly #discovery: DiscoveryService;
  readonly #rateLimits: RateLimitService;

  constructor(
    @Inject(DiscoveryService) discovery: DiscoveryService,
    @Inject(RateLimitService) rateLimits: RateLimitService,
  ) {
    this.#discovery = discovery;
    this.#rateLimits = rateLimits;
  }

  onModuleInit(): void {
    const scanner = new MetadataScanner();
    for (const { instance } of [...this.#discovery.getControllers(), ...this.#discovery.getProviders()]) {
      if (typeof instance !== 'object' || instance === null) continue;
      // Decorators speak to the class. What a provider itself answers may be anything: its values, or what a proxy makes up.
      const prototype = Object.getPrototypeOf(instance);
      if (typeof prototype?.constructor !== 'function') continue;
      for (const method of scanner.getAllMethodNames(prototype)) {
        this.#check(prototype.constructor, method, prototype[method]);
      }
    }
  }

  /** Also that every name is known which is chosen or skipped here. */
  #check(type: { readonly name: string }, method: string, handler: object): void {
    for (const policy of policiesFor(handler, type, this.#rateLimits)) {
      const { policy: name, countsByAddress } = this.#rateLimits.policy(policy);
      if (!countsByAddress || !Reflect.hasMetadata(MESSAGE_PATTERN, handler)) continue;
      const message = `${type.name}.${method} takes messages, which have no address to count by: give the policy ${JSON.stringify(name)} a keyGenerator, or say @SkipRateLimit()`;
      throw new SluiceError('SLUICE_KEY', message, { path: 'keyGenerator' });
    }
  }
}
