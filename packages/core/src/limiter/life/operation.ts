// Why it is so: docs/why/operations.md

import type { LimitCheck, StoreRequest } from '../../stores/store.js';
import { type Duration, durationMs, LONGEST_MS } from '../../values/duration.js';
import { optionError } from '../../values/error.js';
import { hash } from '../../values/key.js';
import { nextOperationId } from '../../values/operation-id.js';
import { checkWhole } from '../../values/option-checks.js';

/** The way in which a call spends. Two calls that do different things are different operations, even with the same id. */
type OperationKind = 'consume' | 'reserve';

/** An operation that counts once, even if the call is repeated. */
export interface Operation {
  readonly kind: OperationKind;
  /** The id that the caller gave it. */
  readonly id: string;
  /** How long a repeated call gets the first response. */
  readonly holdMs: number;
  /** How long after the charge of a `reserve` it can be corrected. */
  readonly correctableMs: number;
  /** Counts the decisions about one call, if it is decided again. Absent: it is the first one. */
  readonly round?: number;
}

/** How a caller names an operation, so that it can repeat the call. */
export interface OperationOptions {
  /**
   * Names the operation: 1 to 256 characters, for example the id of a request or of a message. A repeated call with this id
   * gets the first response, also if it was refused, and charges nothing. It may come from another instance, and after a response
   * that was lost. A call with another policy, key or cost is another operation, and so is one by another method (`peek`
   * shows the response of `consume`).
   *
   * Do not use a text that clients choose: a client could repeat an allowed request for ever.
   */
  id?: string;
  /**
   * How long the response is remembered: 1 ms to 1 day. Default: 1 minute. A `MemoryStore` remembers the last `maxKeys` of them at
   * most. The charge of a `reserve` can be corrected for that time, and for an hour at least: once, by whoever called.
   */
  rememberFor?: Duration;
}

/** The options that name an operation. */
export const OPERATION_OPTIONS = ['id', 'rememberFor'] as const;

const DEFAULT_HOLD_MS = 60_000;
export const LONGEST_HOLD_MS = 86_400_000;
const LONGEST_ID = 256;

/** How long the charge of an operation can be corrected at least. */
export const LEAST_CORRECTABLE_MS = 3_600_000;

/**
 * Reads the operation of a call; undefined if it has no id.
 *
 * @param endsAfterMs - when its charge ends by itself; it can be corrected after that, too
 * @throws SluiceError `SLUICE_OPTION`
 */
export function operationOf(
  kind: OperationKind,
  { id, rememberFor }: OperationOptions,
  endsAfterMs = 0,
): Operation | undefined {
  const correctableMs = endsAfterMs + LEAST_CORRECTABLE_MS;
  if (rememberFor === undefined)
    return id === undefined ? undefined : newOperation(kind, { id, correctableMs, path: 'id' });
  if (id === undefined) throw optionError('rememberFor', 'needs the option id', rememberFor);
  const holdMs = durationMs(rememberFor, 'rememberFor');
  if (holdMs > LONGEST_HOLD_MS) throw optionError('rememberFor', 'must be at most 1 day', rememberFor);
  return newOperation(kind, { id, holdMs, correctableMs, path: 'id' });
}

/** The same for a host, whose functions return numbers. */
export function newOperation(
  kind: OperationKind,
  {
    id,
    holdMs = DEFAULT_HOLD_MS,
    correctableMs = LEAST_CORRECTABLE_MS,
    path,
  }: { id: string; holdMs?: number | undefined; correctableMs?: number | undefined; path: string },
): Operation {
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) {
    throw optionError(path, `must be a text of 1 to ${LONGEST_ID} characters`, id);
  }
  checkWhole(holdMs, 'holdMs', 1, LONGEST_HOLD_MS);
  return { kind, id, holdMs, correctableMs: Math.max(holdMs, correctableMs, LEAST_CORRECTABLE_MS) };
}

/**
 * Returns the request of an operation. The store knows it by a hash of its kind, its id and everything that it spends, so that
 * nobody gets the response to another request. The numbers of the limits do not count: a changed policy file charges nothing
 * twice. The attempt names what this call charges, if it is decided: a later call with the same id has other charges. It says
 * how long the charge of a reservation can be corrected, so that repeated calls know it, too.
 */
export function operationRequest(
  { kind, id, holdMs, correctableMs, round = 0 }: Operation,
  checks: readonly LimitCheck[],
): StoreRequest {
  const parts: (string | number)[] = [kind, id, round];
  for (const { policy, name, key, cost, limit } of checks) parts.push(policy, name, limit.algorithm, key, cost);
  const attempt = correctableFor(nextOperationId(), correctableMs);
  return { checks, id: hash(JSON.stringify(parts)), holdMs, attempt };
}

/** Returns the name of a charge that can be corrected for so long. Whoever knows the name knows that, too. */
export function correctableFor(id: string, ms: number): string {
  return `${id}.${ms.toString(36)}`;
}

/** Returns how long the charge of a name can be corrected; undefined for a name that does not say it. */
export function correctableMsOf(name: string): number | undefined {
  const ms = Number.parseInt(name.split('.')[1] ?? '', 36);
  return Number.isNaN(ms) ? undefined : Math.min(ms, LONGEST_MS);
}
