import type { Limit } from '../values/limit.js';
import type { Kernel } from './kernel.js';

/** The algorithms that are counted. `unlimited` is none: it never reaches a store. */
export type Algorithm = Exclude<Limit['algorithm'], 'unlimited'>;

/** How units may be taken in advance: it is safe to spend them up to `leaseMs` after they were asked for. */
export interface LeaseRule<L extends Limit = Limit> {
  /**
   * The limit to ask by instead: its bound over a window and `leaseMs` more is at most this limit's over the window
   * alone. Undefined when nothing would be left of it.
   */
  stricter(limit: L, leaseMs: number): L | undefined;
  /** What was taken may be spent no longer than until the window ends that it was taken from. */
  readonly endsAtReset?: true;
  /**
   * How long after they were taken so many units may be given back, if it is not to matter what others give back
   * meanwhile. Absent: as long as they count.
   */
  returnableMs?(limit: L, units: number): number;
}

/**
 * All that is known of one algorithm: its arithmetic, and the answer to every question that depends on the algorithm.
 * The rest of the library asks the definition, and compares no algorithm's name.
 *
 * `State` and `L` are those of its kernel.
 */
export interface AlgorithmDefinition<
  A extends Algorithm = Algorithm,
  State extends object = object,
  L extends Limit = Limit,
> {
  readonly algorithm: A;

  /** Names the algorithm in the keys of Redis. It never changes, since a changed one would forget every state. */
  readonly tag: string;

  /** The arithmetic on the state of one key. */
  readonly kernel: Kernel<State, L>;

  /** The whole numbers of a limit, except its quota, that the arithmetic needs, each with the least that it may be. */
  numbers(limit: Limit): readonly (readonly [name: keyof Limit, least: 0 | 1])[];

  /** The largest quota that the arithmetic is exact for, or that is not too long a list, given the numbers. */
  largestQuota(limit: Limit): number;

  /** The name of a limit that nobody named: made of its window or algorithm, never of its quota, which may change. */
  defaultName(limit: L): string;

  /** How long one window lasts, or a bucket takes to fill: `countRejected` counts this long after an admission. */
  spanMs(limit: L): number;

  /** The longest time that a limit in debt makes anybody wait, blocks apart. */
  longestWaitMs(limit: L): number;

  /** The part of a limit that one of so many instances admits by itself: a limit of this quota, its rate divided. */
  share(limit: L, quota: number, instances: number): Limit;

  /** The worst case: the most units, less those given back, that are admitted in any window of `windowMs`. */
  bound(limit: L, windowMs: number, largestCost: number): number;

  /** Undefined where units cannot be taken in advance. */
  readonly lease: LeaseRule<L> | undefined;

  /** Whether units that were spent can be given back. */
  readonly canRefund: boolean;

  /** The unit of all its limits, as header fields say it; undefined where each policy says its own. */
  readonly quotaUnit: string | undefined;

  /** The window that header fields state as `w`; undefined where there is none. */
  headerWindowMs(limit: L): number | undefined;

  /**
   * How many whole seconds pass until so many units have come back; undefined if they never do. Absent where units come
   * back with a window: then header fields state the time until the key is fresh.
   */
  refillSeconds?(limit: L, units: number): number | undefined;

  /** The most entries of a state that a decision goes through; undefined where a state is a few numbers or seldom read whole. */
  listLength(limit: L): number | undefined;
}
