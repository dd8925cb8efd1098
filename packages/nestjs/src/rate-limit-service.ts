import { Inject, Injectable } from '@nestjs/common';
import type { Store } from '@sluice/core';
import { type Admitter, ApplicationPolicies, callHost, createAdmitter } from '@sluice/core/http';
import { callOf } from './call.js';
import { isWatched } from './handler-watch.js';
import { MODULE_OPTIONS_TOKEN, RATE_LIMIT_STORE } from './module-definition.js';
import type { CallbackArguments, PolicyName, RateLimitModuleOptions } from './options.js';

const HOST = callHost<CallbackArguments>(
  (_request, context) => callOf(context),
  (_request, context) => isWatched(context),
);

/**
 * The policies of the application, by name: `'default'` is the module's own, and what stands in decorators is called after
 * its place.
 *
 * @example await rateLimits.policy('login').reset(ipKey('203.0.113.7'));
 */
@Injectable()
export class RateLimitService extends ApplicationPolicies<CallbackArguments, Admitter<CallbackArguments>, PolicyName> {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) options: RateLimitModuleOptions, @Inject(RATE_LIMIT_STORE) store: Store) {
    super(options, store, (policy, owner) => createAdmitter(policy, HOST, owner));
  }
}
