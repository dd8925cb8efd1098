import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { ShedLoadOptions } from './options.js';

/** The base class with `forRoot` and `forRootAsync`, and the token of their options. */
export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<ShedLoadOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createLoadSheddingOptions')
    .build();

/**
 * Injects the shedder of the `LoadSheddingModule`: its `state` says how busy the process is, and its `calm` is for
 * `elastic` limits.
 *
 * @example constructor(@Inject(SHEDDER) private readonly shedder: Shedder) {}
 */
export const SHEDDER: unique symbol = Symbol('SHEDDER');

/** Injects the middleware of the module. */
export const SHED_LOAD: unique symbol = Symbol('SHED_LOAD');
