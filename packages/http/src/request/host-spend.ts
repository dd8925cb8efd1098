import type { Engine } from '@sluice/core/src/limiter/engine';
import { LONGEST_HOLD_MS, newOperation, type Operation } from '@sluice/core/src/limiter/life/operation';
import type { Eventual } from '@sluice/core/src/values/eventual';
import { checkOneOf, checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import type { HttpGrantedReservation } from './http-reservation.js';

type Args = readonly unknown[];

const KINDS = ['consume', 'peek', 'reserve'] as const;

/** How a host lets a request spend, in place of what the policy says. */
export interface HostSpend {
  /**
   * `'consume'` (default) and `'reserve'` spend; calls of the two kinds are different operations, even with the same id.
   * `'peek'` makes the enforcement that the request would get: nothing is spent, and no hook is called.
   */
  readonly kind?: (typeof KINDS)[number] | undefined;
  /** Replaces the cost of the policy, on each limit without its own cost: a safe integer of at least 0. */
  readonly cost?: number | undefined;
  /**
   * Names the operation: 1 to 256 characters. A repeated request with the same id, kind, key and cost gets the first
   * decision, also if it was refused, and charges nothing. A peek gets what `'consume'` with this id got.
   */
  readonly operationId?: string | undefined;
  /** How long the decision is remembered: 1 to 86,400,000 ms. Default: 60,000. */
  readonly holdMs?: number | undefined;
  /**
   * How long the charge of a `'reserve'` with an `operationId` can be corrected: 1 to 86,400,000 ms, and an hour at least.
   * Default: an hour.
   */
  readonly correctableMs?: number | undefined;
}

/** The same after its checks. */
export interface HostSpending {
  readonly isPeek: boolean;
  readonly cost: number | undefined;
  readonly operation: Operation | undefined;
}

/**
 * Checks what a host returned for a request.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function hostSpending(spend: HostSpend): HostSpending {
  checkOptions(spend, ['kind', 'cost', 'operationId', 'holdMs', 'correctableMs']);
  const { kind = 'consume', cost, operationId, holdMs, correctableMs } = spend;
  checkOneOf(kind, 'kind', KINDS);
  if (correctableMs !== undefined) checkWhole(correctableMs, 'correctableMs', 1, LONGEST_HOLD_MS);
  const operation =
    operationId === undefined
      ? undefined
      : newOperation(kind === 'reserve' ? 'reserve' : 'consume', {
          id: operationId,
          holdMs,
          correctableMs,
          path: 'operationId',
        });
  return { isPeek: kind === 'peek', cost, operation };
}

/** An engine, or whoever reserves in its place. */
export type Reserving<A extends Args> = Pick<Engine<A, HttpGrantedReservation>, 'reserve' | 'peekReservation'>;

/** Reserves for a request as the policy or its host says. */
export function reserveFor<A extends Args>(
  engine: Reserving<A>,
  args: A,
  spending: HostSpending | undefined,
): Eventual<HttpGrantedReservation | undefined> {
  if (spending === undefined) return engine.reserve(args);
  const { isPeek, cost, operation } = spending;
  return isPeek ? engine.peekReservation(args, cost, operation) : engine.reserve(args, cost, operation);
}

/** Returns the spending of a later round about the same request, which is an operation of its own. */
export function inRound(spending: HostSpending | undefined, round: number): HostSpending | undefined {
  return spending?.operation ? { ...spending, operation: { ...spending.operation, round } } : spending;
}
