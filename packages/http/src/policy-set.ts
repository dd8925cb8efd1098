import { MemoryStore } from '@sluice/core/src/stores/memory/memory-store';
import type { Store } from '@sluice/core/src/stores/store';
import { checkObject } from '@sluice/core/src/values/check-object';
import { reasonOf, SluiceError, show } from '@sluice/core/src/values/error';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import type { PolicyHandle } from './deciding/policy-handle.js';
import { inheritedOptions } from './options/inherited-options.js';
import { optionsOf } from './options/limiter-options.js';
import type { RequestLimiter } from './options/request-limiter.js';

/** The options of a policy that a set reads. */
interface Named {
  readonly name?: string;
  readonly store?: Store | undefined;
}

/**
 * The policies of an application: its own, and others that inherit its options. They share its store, or a new
 * MemoryStore if it has none.
 *
 * @example
 * const policies = new PolicySet(options, (own, owner) => createMiddleware(own, host, owner));
 * policies.get({ name: 'login', limit: 5, window: '15m' }).pass(req, res, next);
 */
export class PolicySet<Options extends object, Handle extends PolicyHandle> {
  /** The inherited options, with the shared store. */
  readonly #shared: Partial<Options> & Named;
  readonly #make: (options: Options, owner: object) => Handle;
  readonly #byOptions = new WeakMap<object, Handle>();
  readonly #byName = new Map<string, Handle>();

  /**
   * @param shared - the inherited options: see `inheritedOptions`
   * @param make - makes a policy; for `owner` see `createEnforcer`
   */
  constructor(shared: Partial<Options> & Named, make: (options: Options, owner: object) => Handle) {
    this.#shared = { ...shared, store: shared.store ?? new MemoryStore() };
    this.#make = make;
  }

  /**
   * Makes the application's own policy.
   *
   * @param owner - the object that the user wrote
   * @param alias - another name to find it by
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   */
  default(owner: object, alias?: string): Handle {
    return this.#add(this.#ownOnly(this.#shared) as Options, owner, alias);
  }

  /**
   * Returns the policy of these options, with the inherited ones. The first call creates it.
   *
   * @param owner - the object that the user wrote, if it is not `options`
   * @param alias - another name to find it by
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   */
  get(options: Partial<Options> | RequestLimiter, owner: object = options, alias?: string): Handle {
    return getOrCreate(this.#byOptions, options, () => {
      const { name } = options as Named;
      const whole = namingPolicy(name, () => this.#inheriting(options));
      return this.#add(whole, owner, alias ?? name);
    });
  }

  /**
   * Makes a policy that inherits like the others, but is not found by its name.
   *
   * @param owner - the object that its name belongs to
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
   */
  createUnnamed(options: Partial<Options> | RequestLimiter, owner: object = options): Handle {
    checkObject(options, 'options');
    return this.#make(this.#inheriting(options), owner);
  }

  /**
   * Returns the policy with this name.
   *
   * @throws SluiceError `SLUICE_OPTION` if there is none
   */
  named(name: string): Handle {
    const handle = this.#byName.get(name);
    if (handle) return handle;
    const names = [...this.#byName.keys()].join(', ');
    const suggestion = names === '' ? 'there is none yet' : `they are ${names}`;
    throw new SluiceError('SLUICE_OPTION', `there is no policy named ${show(name)}: ${suggestion}`, {
      path: 'name',
      received: name,
    });
  }

  #inheriting(options: Partial<Options> | RequestLimiter): Options {
    return this.#ownOnly(inheritedOptions(optionsOf(options), this.#shared)) as Options;
  }

  /** A limiter of somebody else has a name, and counts in no store of ours. The name of its place finds it all the same. */
  #ownOnly(options: object & Named): object {
    if (!('limiter' in options)) return options;
    const { name: _, store, ...own } = options;
    return store === this.#shared.store ? own : { ...own, store };
  }

  #add(options: Options, owner: object, alias: string | undefined): Handle {
    const handle = namingPolicy((options as Named).name, () => this.#make(options, owner));
    if (alias !== undefined) this.#byName.set(alias, handle);
    this.#byName.set(handle.policy, handle);
    return handle;
  }
}

/** Adds the name of the policy to errors about its options, because an application may have many policies. */
function namingPolicy<T>(name: string | undefined, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SluiceError) || name === undefined) throw error;
    throw new SluiceError(error.code, `of the policy ${JSON.stringify(name)}, ${reasonOf(error)}`, error);
  }
}
