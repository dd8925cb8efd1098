import type { Answer } from '@sluice/core/src/stores/store';
import type { Eventual } from '@sluice/core/src/values/eventual';
import type { Key } from '@sluice/core/src/values/key';
import type { Enforcement } from '../enforcement/enforcement.js';
import type { PolicyVerbs } from './policy-verbs.js';

type Args = readonly unknown[];

/** A policy in use. Adapters give it to their users beside the middleware. */
export interface PolicyHandle<A extends Args = never> extends PolicyVerbs<A> {
  /** The name of the policy. */
  readonly policy: string;
  /**
   * Removes the states of a key in every limit of the policy: `reset(ipKey('203.0.113.7'))`. Resolves with whether
   * there were any. Rejects if the store fails.
   */
  reset(key: Key): Promise<boolean>;
}

/** What an adapter may have to know of a policy before its first request. */
interface PolicyTraits {
  /** Whether a limit has no `keyGenerator`, so that a request without an address and a key cannot be counted. */
  readonly countsByAddress: boolean;
  /**
   * Whether it may give a request a slot: it has a concurrency limit, or a limit that a function chooses; or its owner, such as a policy of
   * a file, may replace its limits.
   */
  readonly mayHoldSlots: boolean;
}

/** A policy whose decisions an adapter carries out itself. */
export interface Enforcer<A extends Args> extends PolicyHandle<A>, PolicyTraits {
  /**
   * Decides about a request. Returns undefined if it is not counted. The result is no promise if the store and the
   * options are synchronous.
   */
  enforce(...args: A): Answer<Enforcement<A> | undefined>;
}

/** A policy that decides about requests. */
export interface Decider<A extends Args> extends PolicyTraits {
  readonly handle: PolicyHandle<A>;
  /** Whether its store is asynchronous. */
  readonly isAsync: boolean;
  /** Decides about a request, and returns what follows; undefined if it is not counted. It may throw or reject. */
  decide(args: A): Eventual<Enforcement<A> | undefined>;
}
