import { Global, Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import { MemoryStore, type Store } from '@sluice/core';
import { GuardCheck } from './guard-check.js';
import { HandlerSetup } from './handler-setup.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, RATE_LIMIT_STORE } from './module-definition.js';
import type { RateLimitModuleOptions } from './options.js';
import { RateLimitFilter } from './rate-limit-filter.js';
import { RateLimitGuard } from './rate-limit-guard.js';
import { RateLimitService } from './rate-limit-service.js';

/**
 * Rate limiting for an application. Import it once. It counts in the places where you put a `RateLimitGuard`. If there
 * is none, the application warns at its start (`SLUICE_NO_GUARD`).
 *
 * @throws SluiceError when the application starts: `SLUICE_OPTION` if an option is wrong, here or in a decorator;
 * `SLUICE_DUPLICATE_NAME` for two policies with the same name; `SLUICE_KEY` for a message handler whose policy has no
 * `keyGenerator`
 * @example
 * const imports = [RateLimitModule.forRoot({ limit: 100, window: '1m' })];
 * const providers = [{ provide: APP_GUARD, useClass: RateLimitGuard }];
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: RATE_LIMIT_STORE,
      inject: [MODULE_OPTIONS_TOKEN],
      // If the options are no object, the service, which is created later, reports it.
      useFactory: (options?: RateLimitModuleOptions): Store => options?.store ?? new MemoryStore(),
    },
    RateLimitService,
    RateLimitGuard,
    HandlerSetup,
    GuardCheck,
    { provide: APP_FILTER, useClass: RateLimitFilter },
  ],
  exports: [RATE_LIMIT_STORE, RateLimitService, RateLimitGuard],
})
export class RateLimitModule extends ConfigurableModuleClass {}
