import type { CalendarWindow, Limit } from '@sluice/core';
import type { PolicyFile } from '../file/policy-file.js';
import type { PolicyChange } from './policy-change.js';

/**
 * Returns what is forgotten when a limit takes the place of another one of the same name; undefined if nothing is. A state
 * belongs to a policy, a limit, an algorithm and a key: new numbers change none of them.
 */
export function forgetsAs(old: Limit, next: Limit): string | undefined {
  if (old.algorithm === 'unlimited') return undefined;
  if (old.algorithm !== next.algorithm) return `all that ${old.algorithm} has counted`;
  if (beginsNewWindow(old, next)) return 'counts of windows that have ended by the new rule';
  return undefined;
}

/**
 * Whether a window that has begun can be over by the new rule, although it is not by the old one. Sliding windows keep the
 * time of what was spent, and buckets and slots have no window: they forget nothing.
 */
function beginsNewWindow(old: Limit, next: Limit): boolean {
  const { windowMs: oldMs = 0 } = old;
  const { windowMs: nextMs = 0 } = next;
  // Its windows begin at multiples of their length.
  if (old.algorithm === 'sliding-window-counter') return nextMs % oldMs !== 0;
  if (old.algorithm !== 'fixed-window') return false;
  if (old.calendar || next.calendar) return !isWithin(old.calendar, next.calendar);
  if (next.align === 'clock') return old.align !== 'clock' || nextMs % oldMs !== 0;
  return nextMs < oldMs;
}

const UNITS: readonly CalendarWindow['unit'][] = ['hour', 'day', 'week', 'month'];

/** Whether every interval of one calendar lies within an interval of another one. A week can begin in another month. */
function isWithin(inner: CalendarWindow | undefined, outer: CalendarWindow | undefined): boolean {
  if (inner === undefined || inner.timeZone !== outer?.timeZone) return false;
  return inner.unit === outer.unit || (inner.unit !== 'week' && UNITS.indexOf(inner.unit) < UNITS.indexOf(outer.unit));
}

/** Settings that change what a state is. */
const STATE_SETTINGS = /\.(algorithm|window|align|tier)$/;

/** Tells in the first change that is a reason for it what is forgotten. */
export function forgetting(changes: readonly PolicyChange[], forgets: string | undefined): readonly PolicyChange[] {
  if (forgets === undefined) return changes;
  const reason = changes.find(({ path }) => STATE_SETTINGS.test(path)) ?? changes[0];
  return changes.map((change) => (change === reason ? { ...change, forgets } : change));
}

/** Names what keys are made of: the same text for the same keys. The name of a key means something only if code gives it. */
export function keyIdentity({ keys }: PolicyFile, names: readonly string[]): string {
  return JSON.stringify(
    names.map((name) => {
      const rule = keys.get(name);
      return rule?.from === 'code' ? { ...rule, name } : rule;
    }),
  );
}
