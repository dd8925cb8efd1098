import type { Store } from '@sluice/core';
import {
  checkPartialOptions,
  type HttpOptions,
  type LimiterOptions,
  optionsOf,
  type PolicyHandle,
  PolicySet,
  type RateLimitSource,
} from '@sluice/core/http';
import { checkObject } from '@sluice/core/values';

type Args = readonly unknown[];

/** The limiter of an application whose limits somebody else has, such as the decision service, and what that needs. */
export type OwnLimiter<A extends Args> = Partial<Pick<LimiterOptions<A>, 'limiter' | 'keys' | 'tier'>>;

/**
 * The options of an application. If the top level has a limit, it is a policy of its own. Named policies inherit the
 * rest of it.
 */
export type ApplicationOptions<A extends Args> = Partial<HttpOptions<A>> &
  OwnLimiter<A> & {
    policies?: Readonly<Record<string, RateLimitSource<A>>>;
  };

/** The policies of an application whose handlers choose among them. */
export class ApplicationPolicies<A extends Args, Handle extends PolicyHandle, Name extends string = string> {
  /** The policies of a handler without a choice: the application's own, if it has one. */
  readonly defaults: readonly 'default'[];
  readonly #policies: PolicySet<HttpOptions<A> | LimiterOptions<A>, Handle>;

  /**
   * @param store - the store of all policies without a store of their own
   * @param make - makes a policy; for `owner` see `createEnforcer`
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   */
  constructor(
    options: ApplicationOptions<A>,
    store: Store,
    make: (options: HttpOptions<A> | LimiterOptions<A>, owner: object) => Handle,
  ) {
    checkObject(options, 'options');
    const { policies = {}, store: _, ...own } = options;
    // `policies` is a known option, so that an error about an unknown one lists it. Its content is checked below.
    checkPartialOptions<A>(own, 'options', { policies: [] });
    checkObject(policies, 'policies', "{ login: { limit: 5, window: '15m' } }");
    this.#policies = new PolicySet({ ...own, store }, make);
    this.defaults = hasLimits(own) ? ['default'] : [];
    // The application's options own the name, because they are the same object when the application is built again.
    for (const name of this.defaults) this.#policies.default(options, name);
    for (const [name, policy] of Object.entries(policies)) {
      checkObject(policy, `policies.${name}`);
      this.#policies.get({ name, ...optionsOf<A>(policy) }, policy, name);
    }
  }

  /**
   * Returns the policy with this name, for example to `reset` a key. `'default'` is the application's own. For options,
   * it returns their policy; the first call creates it.
   *
   * @throws SluiceError `SLUICE_OPTION` if there is none; for options see the constructor
   * @example await policies.policy('login').reset(ipKey('203.0.113.7'));
   */
  policy(policy: Name | RateLimitSource<A>): Handle {
    return typeof policy === 'string' ? this.#policies.named(policy) : this.#policies.get(policy);
  }
}

/** Whether options say who decides: limits of their own, or a limiter. */
function hasLimits(options: object): boolean {
  const { limit, limits, limiter } = options as Readonly<Record<string, unknown>>;
  return [limit, limits, limiter].some((amount) => amount !== undefined);
}
