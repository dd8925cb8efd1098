// Why it is so: docs/why/operations.md

import type { LimitCheck, Store, StoreRequest, StoreVerdict } from '../../stores/store.js';
import { usesSlots } from '../../values/limit.js';
import { nextOperationId } from '../../values/operation-id.js';
import type { StoreOutcome } from '../fallback.js';
import { type HeldCheck, heldChecks } from '../guarantee.js';
import { leaseRenewerOf } from './lease-renewer.js';
import { correctableFor, correctableMsOf, LEAST_CORRECTABLE_MS } from './operation.js';
import type { Renewing } from './renewal-queue.js';

/** The charge of a request, and the store that holds it. */
export interface HeldCharge {
  readonly store: Store;
  /** What spent units or holds a slot, each by itself, with its own time if the times differ. */
  readonly checks: readonly HeldCheck[];
  /** The store's time of the charge, for each check without its own time. */
  readonly atMs: number;
  /** The id of the held slots. */
  readonly id: string | undefined;
  /**
   * Present if others may know this charge: another call of the same operation, or whoever has it as data. The store then
   * makes one correction of its units, whoever asks first.
   */
  readonly sharing?: Sharing;
  /** Present if it has ended by itself, and has given its units back. The cost of its work may still be charged. */
  readonly isGivenBack?: true;
}

/** How a charge is corrected that others know, too. */
export interface Sharing {
  /** The id of the correction. */
  readonly id: string;
  /** The store's time after which it cannot be corrected any more. */
  readonly untilMs: number;
  /** Whether an earlier call of the operation was charged. That call decides when the charge ends by itself. */
  readonly isRepeated?: true;
}

/** Returns the request of a reservation. An id names its slots. */
export function holdingRequest(checks: readonly LimitCheck[]): StoreRequest {
  return checks.some(isSlot) ? { checks, id: nextOperationId() } : { checks };
}

/**
 * Returns the charge of an allowed request, and holds its slots: they are renewed until they are freed. Others may free those of a
 * shared charge, and then nobody takes them again.
 *
 * @param timeoutMs - how long a renewal waits for the store; undefined if the store says it
 */
export function hold(outcome: StoreOutcome, store: Store, timeoutMs: number | undefined): HeldCharge {
  const charge = heldChargeOf(outcome, store);
  const { id, checks, sharing } = charge;
  if (id !== undefined) {
    const renewing: Renewing = { renew: sharing ? 'held' : true, ...(timeoutMs !== undefined && { timeoutMs }) };
    leaseRenewerOf(store).hold(id, checks.filter(isSlot), renewing);
  }
  return charge;
}

/** All checks are charged, except shadow checks that refused or got no response. */
function heldChargeOf(outcome: StoreOutcome, store: Store): HeldCharge {
  const { request, checks } = outcome;
  const { verdicts, atMs, timesMs, attempt } = outcome.response;
  // The name of what was decided: repeated calls get it from the first one.
  const decided = attempt ?? request.id;
  const isWhole = !timesMs && verdicts.every(isChargedAsOne);
  const charged = isWhole ? checks : checks.flatMap((check, i) => chargedOf(check, i, outcome));
  const id = charged.some(isSlot) ? decided : undefined;
  return request.holdMs === undefined || decided === undefined
    ? { store, checks: charged, atMs, id }
    : { store, checks: charged, atMs, id, sharing: sharingOf(outcome, decided) };
}

function sharingOf({ request: { attempt }, response }: StoreOutcome, decided: string): Sharing {
  const untilMs = response.atMs + (correctableMsOf(decided) ?? LEAST_CORRECTABLE_MS);
  const id = unitsIdOf(decided);
  return attempt === undefined || attempt === decided ? { id, untilMs } : { id, untilMs, isRepeated: true };
}

function isChargedAsOne({ allowed, parts }: StoreVerdict): boolean {
  return allowed && parts === undefined;
}

/** Returns what one check of a request was charged on. */
function chargedOf(check: LimitCheck, i: number, { response }: StoreOutcome): readonly HeldCheck[] {
  const { verdicts, timesMs } = response;
  const verdict = verdicts[i];
  if (!verdict?.allowed) return [];
  const held = heldChecks(check, verdict);
  if (!timesMs) return held;
  const atMs = timesMs[i];
  return atMs === undefined ? [] : held.map((one) => ({ ...one, atMs }));
}

/** Returns a charge as others may know it, who can correct it for so long after it was made. If others know it already, its end stays. */
export function sharedFor(charge: HeldCharge, ms: number): HeldCharge & { readonly sharing: Sharing } {
  const { id = nextOperationId(), atMs, sharing } = charge;
  return { ...charge, sharing: { id: unitsIdOf(correctableFor(id, ms)), untilMs: atMs + ms, ...sharing } };
}

/** Returns the id of the correction of an attempt's units. The attempt itself names its slots. */
function unitsIdOf(attempt: string): string {
  return `${attempt}:units`;
}

/** Splits a charge into the slots, which the id names, and the units. */
export function partsOf(charge: HeldCharge): readonly [slots: HeldCharge | undefined, units: HeldCharge | undefined] {
  if (charge.id === undefined) return [undefined, charge];
  const units = charge.checks.filter((check) => !isSlot(check));
  return [
    { ...charge, checks: charge.checks.filter(isSlot) },
    units.length === 0 ? undefined : { ...charge, checks: units, id: undefined },
  ];
}

/** Whether a check asks for a slot, which an id names, instead of units. */
export function isSlot({ limit }: LimitCheck): boolean {
  return usesSlots(limit);
}
