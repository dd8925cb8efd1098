import type { Key, LimitItem, Resolvable, Store } from '@sluice/core';
import type { Enforcement } from '../file/policy-file.js';

/** A function of your code that reads a request. It gets the first argument that the framework passes to its callbacks. */
export type RequestReader<Req, T> = (request: Req) => T;

/** Functions by name: a record, or a function that returns the one for any name, if you do not know the names of the file. */
export type ByName<T> = Readonly<Record<string, T>> | ((name: string) => T | undefined);

/** Returns the function of a name. */
export function named<T>(given: ByName<T> | undefined, name: string): T | undefined {
  return typeof given === 'function' ? given(name) : given?.[name];
}

/** What a policy file leaves to code. */
export interface CodeFunctions<Req extends object> {
  /**
   * The keys that the file takes from code (`from: code`), by their names. A key that is undefined counts by address.
   *
   * @example { user: (request) => request.user.id }
   * @example (name) => (request) => request.values[name]
   */
  readonly keys?: ByName<RequestReader<Req, Key | undefined>>;
  /**
   * The tiers that the file takes from code, by the name of the policy. Undefined, and a name that the file does not have, is
   * the default tier.
   */
  readonly tiers?: ByName<RequestReader<Req, string | undefined>>;
  /**
   * The costs that the file takes from code, by the name of the policy, or by `policy.limit` for a limit with its own cost.
   * Undefined is the default cost of the file. The file says the least and the most.
   */
  readonly costs?: ByName<RequestReader<Req, number | undefined>>;
}

/** What a policy of a file needs, beside the file. */
export interface CompileContext<Req extends object, Async extends boolean> extends CodeFunctions<Req> {
  /** Where the policy counts. Its clock says when overrides end and rollout steps begin. */
  readonly store: Store<Async>;
  /** Default: that of the file. */
  readonly enforcement?: Enforcement;
  /** Whether the brake has taken the policy back to shadow. Default: false. */
  readonly braked?: boolean;
}

/**
 * A policy of a file, as options that every adapter's `rateLimit` and `createLimiter` take. Callbacks get the request of any
 * framework, or a record with `method`, `url`, `headers` and `ip`.
 */
export interface CompiledPolicy<Req extends object = object, Async extends boolean = boolean> {
  /** The name of the policy in the file. */
  name: string;
  /** Where the policy counts. */
  store: Store<Async>;
  /** What happens while the store fails: count in this process, admit, or refuse. */
  onStoreError: 'local' | 'allow' | 'deny';
  /** What a request costs, in units: as the file says, or code within the bounds of the file. */
  cost: Resolvable<[request: Req], number, Async>;
  /** Present if the policy has an `allowList`: whether a request is not counted. */
  skip?: (request: Req) => boolean;
  /** The limits of the policy, which follow the file. */
  limits: readonly LimitItem<[request: Req], Async>[];
}
