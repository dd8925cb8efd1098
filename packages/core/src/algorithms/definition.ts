// Why it is so: docs/why/one-arithmetic.md

import type { Limit } from '../values/limit.js';
import type { Kernel } from './kernel.js';

/** The algorithms that stores count. `unlimited` is not one of them: it never reaches a store. */
export type Algorithm = Exclude<Limit['algorithm'], 'unlimited'>;

/** How units can be taken in advance, so that it is safe to spend them up to `leaseMs` later. */
export interface LeaseRule<L extends Limit = Limit> {
  /**
   * The stricter limit to take units from. Its bound over a window plus `leaseMs` is at most the bound of the given
   * limit over the window alone. Undefined if no units would be left.
   */
  stricter(limit: L, leaseMs: number): L | undefined;
  /** Present if units that were taken in advance expire when their window ends. */
  readonly endsAtReset?: true;
}

/** How a limit is divided into parts that are guaranteed. */
export interface GuaranteeRule<L extends Limit = Limit> {
  /**
   * Returns this limit with another quota, at most its own. A unit that is spent on the limit and on such a part at the
   * same time comes back to both at the same time. Undefined if there is no such part.
   */
  partOf(limit: L, quota: number): L | undefined;
  /** Present if parts of a unit come back, so that rounding can admit one unit more. */
  readonly roundsUnits?: true;
}

/**
 * Defines one algorithm: its arithmetic, and everything else that differs from algorithm to algorithm. The rest of the
 * library asks the definition. It compares no names of algorithms.
 *
 * `State` and `L` are the types of the kernel.
 */
export interface AlgorithmDefinition<
  A extends Algorithm = Algorithm,
  State extends object = object,
  L extends Limit = Limit,
> {
  /** The name of the algorithm, as limits have it. */
  readonly algorithm: A;

  /** The name of the algorithm in the keys of Redis. It must never change: a new tag would lose every state. */
  readonly tag: string;

  /** The arithmetic on the state of one key. */
  readonly kernel: Kernel<State, L>;

  /** The whole numbers of a limit that the arithmetic needs, apart from the quota, each with its least value. */
  numbers(limit: Limit): readonly (readonly [name: keyof Limit, least: 0 | 1])[];

  /**
   * The largest quota that the arithmetic counts exactly, or for which the list in a state does not become too long.
   */
  largestQuota(limit: Limit): number;

  /**
   * The name of a limit without a name. It is made of the window or the algorithm, never of the quota, because quotas
   * change.
   */
  defaultName(limit: L): string;

  /**
   * How long one window lasts, or how long an empty bucket takes to fill. `countRejected` counts refusals this long
   * after an admission.
   */
  spanMs(limit: L): number;

  /** The longest wait that a limit in debt can cause, without blocks. */
  longestWaitMs(limit: L): number;

  /**
   * The share of a limit that one of several instances admits by itself: the given quota, and the rate divided by
   * `instances`.
   */
  share(limit: L, quota: number, instances: number): Limit;

  /**
   * The worst case: the most units, without those given back, that requests with this margin are admitted in any window
   * of `windowMs`.
   */
  bound(limit: L, windowMs: number, largestCost: number, margin: number): number;

  /** How units can be taken in advance; undefined if they cannot. */
  readonly lease: LeaseRule<L> | undefined;

  /** How parts of a limit are guaranteed; undefined if they cannot be. */
  readonly guarantee: GuaranteeRule<L> | undefined;

  /** The unit of every limit of this algorithm in header fields; undefined if each policy states its own. */
  readonly quotaUnit: string | undefined;

  /** The window that header fields state as `w`; undefined if there is none. */
  headerWindowMs(limit: L): number | undefined;

  /**
   * The whole milliseconds until this many units have come back; undefined if they never do. Absent if units come back
   * with a window: header fields then state the time until the key is back to its full quota.
   */
  refillMs?(limit: L, units: number): number | undefined;

  /**
   * The most entries of a state that a decision goes through. Undefined if a state is a few numbers, or is seldom read
   * as a whole.
   */
  listLength(limit: L): number | undefined;
}
