import { Inject, Injectable } from '@nestjs/common';
import { SluiceError, type Store } from '@sluice/core';
import { createEnforcer, type Enforcer, type Host, inheritedOptions } from '@sluice/core/http';
import { callOf } from './call.js';
import type { PolicyLike } from './decorators.js';
import { MODULE_OPTIONS_TOKEN, RATE_LIMIT_STORE } from './module-definition.js';
import type { CallbackArguments, PolicyName, RateLimitModuleOptions, RateLimitOptions } from './options.js';
import { proxyTrust } from './proxy-trust.js';

const HOST: Host<CallbackArguments> = {
  requestOf: (request, context) => callOf(context).counted(request),
  proxyTrust,
};

/** The policies of the application. */
@Injectable()
export class RateLimitService {
  /** What holds where no decorator says otherwise: the module's own policy, if it has one. */
  readonly defaults: readonly PolicyName[];
  readonly #shared: Partial<RateLimitOptions>;
  readonly #enforcers = new Map<string | RateLimitOptions, Enforcer<CallbackArguments>>();
  readonly #keyless = new Set<Enforcer<CallbackArguments>>();

  constructor(@Inject(MODULE_OPTIONS_TOKEN) options: RateLimitModuleOptions, @Inject(RATE_LIMIT_STORE) store: Store) {
    const { policies = {}, ...own } = options;
    this.#shared = { ...own, store };
    this.defaults = own.limit === undefined && own.limits === undefined ? [] : ['default'];
    // What the module said is the owner of the name, since that is the same when an application is built again.
    for (const name of this.defaults) this.#add(name, this.#shared as RateLimitOptions, options);
    for (const [name, policy] of Object.entries<RateLimitOptions>(policies)) {
      this.#add(name, this.#inherited({ name, ...policy }), policy);
    }
  }

  /**
   * The policy of this name, to `reset` a key: `'default'` is the module's own, and what stands in decorators is called
   * after its place.
   *
   * @throws SluiceError `SLUICE_OPTION` when there is none.
   * @example await rateLimits.policy('login').reset(ipKey('203.0.113.7'));
   */
  policy(policy: PolicyLike): Enforcer<CallbackArguments> {
    const known = this.#enforcers.get(policy);
    if (known) return known;
    if (typeof policy === 'object') return this.#add(policy, this.#inherited(policy), policy);
    const names = [...this.#enforcers.keys()].filter((name) => typeof name === 'string');
    const message = `there is no policy named ${JSON.stringify(policy)}: they are ${names.join(', ')}`;
    throw new SluiceError('SLUICE_OPTION', message, { path: 'policies', received: policy });
  }

  /** Whether a policy counts by address where its `keyGenerator` does not say otherwise. */
  isKeyless(policy: PolicyLike): boolean {
    return this.#keyless.has(this.policy(policy));
  }

  #inherited(options: RateLimitOptions): RateLimitOptions {
    return inheritedOptions(options, this.#shared) as RateLimitOptions;
  }

  #add(policy: string | RateLimitOptions, options: RateLimitOptions, owner: object): Enforcer<CallbackArguments> {
    const enforcer = ofPolicy(options.name, () => createEnforcer(options, HOST, owner));
    const { keyGenerator, limits } = options;
    const isKeyed = keyGenerator ?? limits?.every((item) => 'keyGenerator' in item && item.keyGenerator);
    if (!isKeyed) this.#keyless.add(enforcer);
    this.#enforcers.set(policy, enforcer).set(enforcer.policy, enforcer);
    return enforcer;
  }
}

/** An option is easier to find when its error names the policy, of which an application has many. */
function ofPolicy<T>(name: string | undefined, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SluiceError) || name === undefined) throw error;
    const rule = error.message.replace(/ \(SLUICE_\w+\)$/, '');
    throw new SluiceError(error.code, `of the policy ${JSON.stringify(name)}, ${rule}`, error);
  }
}
