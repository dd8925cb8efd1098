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
 * Rate limiting for an application, imported once. It counts where a `RateLimitGuard` stands; if none does, the process is
 * warned when the application has started (`SLUICE_NO_GUARD`).
 *
 * @throws SluiceError `SLUICE_OPTION` for a wrong option, here or in a decorator, `SLUICE_DUPLICATE_NAME` for two policies
 * of a name, `SLUICE_KEY` for a message handler whose policy has no `keyGenerator`; all of them when the application starts
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
      // The service, which is made after it, says what is wrong with options that are no object.
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
