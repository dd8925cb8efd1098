import { Inject, Injectable } from '@nestjs/common';
import type { Store } from '@sluice/core';
import { carryOut, createEnforcer } from '@sluice/core/http';
import { ApplicationPolicies } from './application-policies.js';
import type { Admitter } from './invocation.js';
import { INVOCATION_HOST } from './invocation-host.js';
import { MODULE_OPTIONS_TOKEN, RATE_LIMIT_STORE } from './module-definition.js';
import type { CallbackArguments, PolicyName, RateLimitModuleOptions } from './options.js';

/**
 * The policies of the application by name. `'default'` is the module's own policy. A policy in a decorator has the name
 * of its place.
 *
 * @example await rateLimits.policy('login').reset(ipKey('203.0.113.7'));
 */
@Injectable()
export class RateLimitService extends ApplicationPolicies<CallbackArguments, Admitter<CallbackArguments>, PolicyName> {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) options: RateLimitModuleOptions, @Inject(RATE_LIMIT_STORE) store: Store) {
    super(options, store, (policy, owner) => {
      const { enforce, ...handle } = createEnforcer(policy, INVOCATION_HOST, owner);
      return { ...handle, admit: (...args) => carryOut(enforce(...args), INVOCATION_HOST) };
    });
  }
}
