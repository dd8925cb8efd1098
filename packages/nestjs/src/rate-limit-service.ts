import { Inject, Injectable } from '@nestjs/common';
import type { Store } from '@sluice/core';
import { type Admitter, checkObject, checkPartialOptions, createAdmitter, PolicySet } from '@sluice/core/http';
import type { PolicyLike } from './decorators.js';
import { HOST } from './host.js';
import { MODULE_OPTIONS_TOKEN, RATE_LIMIT_STORE } from './module-definition.js';
import type { CallbackArguments, PolicyName, RateLimitModuleOptions, RateLimitOptions } from './options.js';

/** The policies of the application. */
@Injectable()
export class RateLimitService {
  /** What holds where no decorator says otherwise: the module's own policy, if it has one. */
  readonly defaults: readonly PolicyName[];
  readonly #policies: PolicySet<RateLimitOptions, Admitter<CallbackArguments>>;

  constructor(@Inject(MODULE_OPTIONS_TOKEN) options: RateLimitModuleOptions, @Inject(RATE_LIMIT_STORE) store: Store) {
    checkObject(options, 'options');
    const { policies = {}, ...own } = options;
    checkPartialOptions(own, 'options');
    checkObject(policies, 'policies', "{ login: { limit: 5, window: '15m' } }");
    this.#policies = new PolicySet<RateLimitOptions, Admitter<CallbackArguments>>({ ...own, store }, (policy, owner) =>
      createAdmitter(policy, HOST, owner),
    );
    this.defaults = own.limit === undefined && own.limits === undefined ? [] : ['default'];
    // What the module said is the owner of the name, since that is the same when an application is built again.
    for (const name of this.defaults) this.#policies.own(options, name);
    for (const [name, policy] of Object.entries<RateLimitOptions>(policies)) {
      checkObject(policy, `policies.${name}`);
      this.#policies.of({ name, ...policy }, policy, name);
    }
  }

  /**
   * The policy of this name, to `reset` a key: `'default'` is the module's own, and what stands in decorators is called
   * after its place.
   *
   * @throws SluiceError `SLUICE_OPTION` when there is none.
   * @example await rateLimits.policy('login').reset(ipKey('203.0.113.7'));
   */
  policy(policy: PolicyLike): Admitter<CallbackArguments> {
    return typeof policy === 'string' ? this.#policies.named(policy) : this.#policies.of(policy);
  }
}
