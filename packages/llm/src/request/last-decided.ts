import { isObject } from '../json-object.js';
import type { SettlementRules } from '../settle/settlement.js';
import type { PlannedCall } from './planned-call.js';

/** What whoever sends a call has to know: a relay is not the only one. */
export interface Decided extends Pick<PlannedCall, 'ruled'> {
  /** The most output tokens of each choice that the provider may be asked for; undefined if no limit of the call holds the ceiling. */
  readonly sentCap: number | undefined;
  /** How its limits are settled. */
  readonly settling: SettlementRules;
}

const decided = new WeakMap<object, Decided>();

/** Keeps the call that a request was decided with. */
export function keepDecided(request: unknown, { sentCap, ruled }: PlannedCall, settling: Decided['settling']): void {
  if (isObject(request)) decided.set(request, { sentCap, ruled, settling });
}

/** Returns the call that a request was decided with; undefined if the limits are not those of `createLlm`. */
export function lastDecided(request: object): Decided | undefined {
  return decided.get(request);
}
