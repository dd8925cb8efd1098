import { type Duration, durationMs } from '../values/duration.js';
import { optionError } from '../values/error.js';
import { checkOneOf, checkOptions, checkSignal } from '../values/option-checks.js';
import { OPERATION_OPTIONS, type Operation, type OperationOptions, operationOf } from './life/operation.js';
import type { Expiring, OnExpiry } from './reservation.js';

/** Options of a call that spends. */
export interface Spend {
  /** Replaces the cost of the policy, on each limit without its own cost: a safe integer of at least 0. */
  cost?: number;
}

/** Options of `consume` and `peek`: the cost, and an id with which the call can be repeated. */
export interface OperationSpend extends Spend, OperationOptions {}

/** When a reservation ends by itself. */
export interface ReserveExpiry {
  /**
   * The reservation ends by itself this long after it was granted, unless it is settled or cancelled before. Its slots
   * are freed then. 1 ms to 100 years, on the clock of the store. Default: it does not end by itself, and its charge
   * stays.
   *
   * If the process crashes, nothing ends by itself: charges stay, and slots are freed when their lease ends. Of several calls
   * with one `id`, the first one ends as it says; a repeated call has no end of its own.
   */
  expires?: Duration;
  /**
   * What happens to the charge, with `expires`. `'keep'` (default) keeps it, and a later `settle(n)` corrects it to n.
   * `'giveBack'` gives all units back as `cancel` does, and a later `settle(n)` charges n again, even above the limit.
   */
  onExpiry?: OnExpiry;
}

/** Options of `reserve`: the cost, an id with which the call can be repeated, and when the reservation ends by itself. */
export interface ReserveSpend extends OperationSpend, ReserveExpiry {}

/** Options of `wait`: the cost, when the reservation ends by itself, and how long to wait. */
export interface WaitSpend extends Spend, ReserveExpiry {
  /** Ends the wait. Units that were granted meanwhile are given back. */
  signal?: AbortSignal;
  /** The longest wait: 0 to 100 years. A wait that would be longer does not begin. Default: no maximum. */
  maxWait?: Duration;
}

/** Returns the cost from the options of a method that only spends. */
export function costOf(options: Spend): number | undefined {
  checkOptions(options, ['cost']);
  return options.cost;
}

/**
 * Reads the options about the end of a reservation.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
function expiringOf({ expires, onExpiry }: ReserveExpiry): Expiring | undefined {
  const choice = checkOneOf(onExpiry ?? 'keep', 'onExpiry', ['keep', 'giveBack'] as const);
  if (expires !== undefined) return { afterMs: durationMs(expires, 'expires'), onExpiry: choice };
  if (onExpiry !== undefined) throw optionError('onExpiry', 'needs the option expires', onExpiry);
  return undefined;
}

/** The options of a call that may be repeated, as the engine takes them. */
export interface Spending {
  readonly cost: number | undefined;
  readonly operation: Operation | undefined;
}

const CONSUME_OPTIONS = ['cost', ...OPERATION_OPTIONS] as const;

/** Reads the options of `consume` or `peek`, before anything is spent. */
export function operationOptions(options: OperationSpend): Spending {
  checkOptions(options, CONSUME_OPTIONS);
  return { cost: options.cost, operation: operationOf('consume', options) };
}

const RESERVE_OPTIONS = [...CONSUME_OPTIONS, 'expires', 'onExpiry'] as const;

/** Reads the options of `reserve`, before anything is spent. */
export function reserveOptions(options: ReserveSpend): Spending & { readonly expiring: Expiring | undefined } {
  checkOptions(options, RESERVE_OPTIONS);
  const expiring = expiringOf(options);
  return { cost: options.cost, operation: operationOf('reserve', options, expiring?.afterMs), expiring };
}

/** The options of `wait`, as a line takes them. */
interface Waiting {
  readonly cost: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly maxWaitMs: number | undefined;
  readonly expiring: Expiring | undefined;
}

const WAIT_OPTIONS = ['cost', 'expires', 'onExpiry', 'signal', 'maxWait'] as const;

/**
 * Reads the options of `wait`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function waitOptions(options: WaitSpend): Waiting {
  checkOptions(options, WAIT_OPTIONS);
  const { cost, signal, maxWait } = options;
  checkSignal(signal, 'signal');
  const maxWaitMs = maxWait === undefined ? undefined : durationMs(maxWait, 'maxWait', 0);
  return { cost, signal, maxWaitMs, expiring: expiringOf(options) };
}
