import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RateLimitModuleOptions } from './options.js';

/** The base class with `forRoot` and `forRootAsync`, and the token of their options. */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RateLimitModuleOptions>()
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createRateLimitOptions')
  .build();

/**
 * Injects the store of all policies without a store of their own. Tests replace it.
 *
 * @example builder.overrideProvider(RATE_LIMIT_STORE).useValue(new MemoryStore({ clock }))
 */
export const RATE_LIMIT_STORE: unique symbol = Symbol('RATE_LIMIT_STORE');
