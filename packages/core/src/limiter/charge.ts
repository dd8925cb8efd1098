import { checkCountableLimit } from '../algorithms/check-limit.js';
import { keyspacesOf } from '../stores/keyspace.js';
import type { Store } from '../stores/store.js';
import { type Duration, durationMs } from '../values/duration.js';
import { optionError } from '../values/error.js';
import { getOrCreate } from '../values/get-or-create.js';
import type { Limit } from '../values/limit.js';
import { nextOperationId } from '../values/operation-id.js';
import { at, checkOptions, checkWhole } from '../values/option-checks.js';
import { type HeldCheck, itemNameOf } from './guarantee.js';
import type { HeldCharge } from './life/hold.js';
import { LONGEST_HOLD_MS } from './life/operation.js';
import type { GrantedReservation, Reservation } from './reservation.js';

/** The charge of a request on one limit. */
export interface ChargedCheck {
  /** The name under which the store counts the limit. */
  readonly name: string;
  /** The key as the store has it. Secret values are in it as the policy made them, for example as a hash. */
  readonly key: string;
  /** The limit as it was for this request. */
  readonly limit: Limit;
  /** The units that were charged. */
  readonly cost: number;
  /** The store's time of this charge, if it differs from that of the others. */
  readonly atMs?: number;
  /** Whether the limit has a cost of its own, so that one number for all limits does not settle it. */
  readonly ownsCost?: true;
  /** Whether the limit was not enforced. */
  readonly shadow?: true;
  /** Of a part of a guarantee: the limit that it is a part of. */
  readonly itemName?: string;
  /** Of a part of a guarantee: whether it counts all parts together. */
  readonly countsAll?: boolean;
}

/**
 * The charge of a reservation as plain data, which JSON can carry. Any process with the same policy and store can correct it,
 * once. It contains keys: sign it if others keep it for you, and encrypt it if they must not read the keys.
 */
export interface Charge {
  /** The name of the policy. */
  readonly policy: string;
  /** Names the correction. Repeated calls of one operation have the same id. */
  readonly id: string;
  /** The store's time of the charge. */
  readonly atMs: number;
  /** The store's time after which it cannot be corrected any more. */
  readonly untilMs: number;
  /** The id of its slots, if it holds any. */
  readonly slot?: string;
  /** Present if one process alone has the charge, in its memory. */
  readonly local?: string;
  /** What each limit was charged, in their order. */
  readonly checks: readonly ChargedCheck[];
}

/** The options of `chargeOf`. */
export interface ChargeOptions {
  /**
   * How long after the charge it can be corrected at most, also by the reservation itself: 1 ms to 1 day. Default: 1 hour. If the
   * charge was handed over before, or its call had an `id`, it can be corrected no longer than that allows.
   */
  expires?: Duration;
}

const DEFAULT_EXPIRY_MS = 3_600_000;

/**
 * Returns the charge of a reservation as data, so that another process can correct it with `correct` of a limiter, or of the
 * handle of a middleware. Undefined if there is nothing to correct: the request was refused, it passed no limit that counts, no
 * store decided about it, or it is corrected already.
 *
 * The charge is corrected once: by `correct`, or by `settle` or `cancel` of a reservation, whichever the store gets first.
 * This process renews its slots no more: they are freed by the correction, or when their lease ends.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const limiter = createLimiter({ name: 'api', limit: 100, window: '1m' });
 * const charge = chargeOf(limiter.reserve('ann', { cost: 10 }));
 * const text = JSON.stringify(charge); // to the worker that knows the cost afterwards
 * limiter.correct(JSON.parse(text), { actual: 3 });
 */
export function chargeOf(reservation: Reservation<boolean>, options: ChargeOptions = {}): Charge | undefined {
  if (!isShareable(reservation)) {
    throw optionError('reservation', 'must be a reservation, as reserve() returns it', reservation);
  }
  checkOptions(options, ['expires']);
  const { expires = DEFAULT_EXPIRY_MS } = options;
  const expiryMs = durationMs(expires, 'expires');
  if (expiryMs > LONGEST_HOLD_MS) throw optionError('expires', 'must be at most 1 day', expires);
  const held = reservation.share(expiryMs);
  if (!held) return undefined;
  const { store, atMs, id: slot, sharing, checks } = held;
  const local = localPlaceOf(store);
  return {
    policy: reservation.policy,
    id: sharing.id,
    atMs,
    untilMs: Math.min(atMs + expiryMs, sharing.untilMs),
    ...(slot !== undefined && { slot }),
    ...(local !== undefined && { local }),
    checks: checks.map((check) => chargedCheck(check, reservation.ownsCost(itemNameOf(check)))),
  };
}

/** Also true for a reservation of another copy of this package, such as one that was required and not imported. */
function isShareable(reservation: Reservation<boolean>): reservation is GrantedReservation {
  return typeof (reservation as Partial<GrantedReservation> | null)?.share === 'function';
}

function chargedCheck(check: HeldCheck, ownsCost: boolean): ChargedCheck {
  const { name, key, limit, cost, atMs, shadow, itemName, countsAll = false } = check;
  return {
    name,
    key,
    limit,
    cost,
    ...(atMs !== undefined && { atMs }),
    ...(ownsCost && { ownsCost }),
    ...(itemName !== undefined ? { itemName, countsAll } : shadow && { shadow }),
  };
}

/** Returns a charge as the reservation has it that made it. */
export function heldBy({ policy, id, atMs, untilMs, slot, checks }: Charge, store: Store): HeldCharge {
  return { store, checks: checks.map((check) => heldCheck(policy, check)), atMs, id: slot, sharing: { id, untilMs } };
}

function heldCheck(policy: string, { ownsCost, ...check }: ChargedCheck): HeldCheck {
  return check.itemName === undefined ? { policy, ...check } : { policy, ...check, shadow: true };
}

const places = new WeakMap<object, string>();

/** Names the memory in which a store counts; undefined if other processes reach its counters, too. */
export function localPlaceOf(store: Store): string | undefined {
  if (store.remote) return undefined;
  return getOrCreate(places, keyspacesOf(store)[0]?.place ?? store, nextOperationId);
}

const MOST_CHECKS = 1000;

/**
 * Returns the charge, if `chargeOf` may have made it.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkCharge(charge: Charge): Charge {
  checkOptions(charge, ['policy', 'id', 'atMs', 'untilMs', 'slot', 'local', 'checks'], 'charge');
  const { policy, id, atMs, untilMs, slot, local, checks } = charge;
  checkText(policy, 'charge.policy');
  checkText(id, 'charge.id');
  checkWhole(atMs, 'charge.atMs');
  checkWhole(untilMs, 'charge.untilMs', atMs, atMs + LONGEST_HOLD_MS);
  if (slot !== undefined) checkText(slot, 'charge.slot');
  if (local !== undefined) checkText(local, 'charge.local');
  if (!Array.isArray(checks) || checks.length === 0 || checks.length > MOST_CHECKS) {
    throw optionError('charge.checks', `must be a list of 1 to ${MOST_CHECKS} checks`, checks);
  }
  checks.forEach(checkChargedCheck);
  return charge;
}

function checkChargedCheck(check: ChargedCheck, i: number): void {
  const path = `charge.checks[${i}]`;
  checkOptions(check, ['name', 'key', 'limit', 'cost', 'atMs', 'ownsCost', 'shadow', 'itemName', 'countsAll'], path);
  checkText(check.name, at(path, 'name'));
  checkText(check.key, at(path, 'key'), 0);
  checkCountableLimit(check.limit, at(path, 'limit'));
  checkWhole(check.cost, at(path, 'cost'));
  if (check.atMs !== undefined) checkWhole(check.atMs, at(path, 'atMs'));
  if (check.itemName !== undefined) checkText(check.itemName, at(path, 'itemName'));
}

function checkText(value: unknown, path: string, least = 1): void {
  if (typeof value === 'string' && value.length >= least && value.length <= 256) return;
  throw optionError(path, 'must be a text, as chargeOf() made it', value);
}
