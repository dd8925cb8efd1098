import type { Store } from '@sluice/core';
import { checkObject, checkPartialOptions, type HttpOptions, type PolicyHandle, PolicySet } from '@sluice/core/http';

type Args = readonly unknown[];

/**
 * The options of an application: what stands at the top is a policy of its own, if it has a limit. Others have names, and
 * inherit the rest.
 */
export type ApplicationOptions<A extends Args> = Partial<HttpOptions<A>> & {
  policies?: Readonly<Record<string, HttpOptions<A>>>;
};

/** The policies of an application whose handlers choose among them. */
export class ApplicationPolicies<A extends Args, Handle extends PolicyHandle, Name extends string = string> {
  /** What holds where nothing else is said: the application's own policy, if it has one. */
  readonly defaults: readonly 'default'[];
  readonly #policies: PolicySet<HttpOptions<A>, Handle>;

  /**
   * @param store - on which all policies count that have none of their own.
   * @param make - makes a policy; for the owner see `createEnforcer`.
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   */
  constructor(options: ApplicationOptions<A>, store: Store, make: (options: HttpOptions<A>, owner: object) => Handle) {
    checkObject(options, 'options');
    const { policies = {}, ...own } = options;
    // Known, so that an error about an unknown option lists it; what it holds is checked below.
    checkPartialOptions(own, 'options', { policies: [] });
    checkObject(policies, 'policies', "{ login: { limit: 5, window: '15m' } }");
    this.#policies = new PolicySet({ ...own, store }, make);
    this.defaults = own.limit === undefined && own.limits === undefined ? [] : ['default'];
    // What the application said is the owner of the name, since that is the same when it is built again.
    for (const name of this.defaults) this.#policies.default(options, name);
    for (const [name, policy] of Object.entries(policies)) {
      checkObject(policy, `policies.${name}`);
      this.#policies.get({ name, ...policy }, policy, name);
    }
  }

  /**
   * The policy of this name, to `reset` a key: `'default'` is the application's own. Also the policy of these options, made
   * when it is asked for the first time.
   *
   * @throws SluiceError `SLUICE_OPTION` where there is none; for options see the constructor.
   * @example await policies.policy('login').reset(ipKey('203.0.113.7'));
   */
  policy(policy: Name | HttpOptions<A>): Handle {
    return typeof policy === 'string' ? this.#policies.named(policy) : this.#policies.get(policy);
  }
}
