// Why it is so: docs/why/margins-and-guarantees.md

/** A wait in milliseconds; `'never'` if it has no end. */
export type Wait = number | 'never';

/** What a guarantee asks about a key under a limit, at the moment of the request. */
interface Countable {
  /** Milliseconds until this many units are available and no block is left. */
  untilMs(units: number): Wait;
  /** Units that are available after this time if nobody comes meanwhile; negative in debt. Blocks do not count. */
  freeIn(ms: number): number;
}

/** After this many steps, a wait is that until all parts are unused. It may be too long then, but never too short. */
const MOST_STEPS = 32;

/** Clients are told a wait in seconds, rounded up. */
const ROUNDED_TO_MS = 1000;

/**
 * Returns how many of the guaranteed units that are not used have to stay free, if this part of them may be lent. A
 * difference below a millionth of a unit is a rounding error, and is ignored.
 *
 * @param unused - guaranteed units that are available now
 * @param lend - the part that may be lent, from 0 to 1
 */
export function keptForParts(unused: number, lend: number): number {
  return Math.min(unused, Math.ceil(Math.floor((1 - lend) * unused * 1e6 + 0.5) / 1e6));
}

export function later(one: Wait, other: Wait): Wait {
  if (one === 'never' || other === 'never') return 'never';
  return Math.max(one, other);
}

function earlier(one: Wait, other: Wait): Wait {
  if (one === 'never') return other;
  if (other === 'never') return one;
  return Math.min(one, other);
}

/** Units of a limit with this quota that are available after this time; at least 0. */
function availableIn(counted: Countable, quota: number, ms: number): number {
  if (ms > 0) {
    const resetAfterMs = counted.untilMs(quota);
    if (resetAfterMs !== 'never' && ms >= resetAfterMs) return quota;
  }
  return Math.max(0, counted.freeIn(ms));
}

/**
 * Returns the units that are kept free for the parts after this time, if nobody comes meanwhile.
 *
 * @param all - all parts together
 * @param total - their quota
 */
export function keptForPartsAfter(all: Countable, total: number, lend: number, ms: number): number {
  return keptForParts(availableIn(all, total, ms), lend);
}

/**
 * Whether a request is admitted as one of a part. It is spent on the part, on all parts together, and on the limit then, and
 * otherwise on no part.
 *
 * @param hasPart - whether its own part has room for it
 * @param hasAllParts - whether all parts together have
 * @param isAdmitted - whether the limit itself admits it: somebody who holds a slot is admitted while nothing else is
 * @param closedMs - how long the limit refuses everything
 */
export function isGranted(hasPart: boolean, hasAllParts: boolean, isAdmitted: boolean, closedMs: Wait): boolean {
  return hasPart && hasAllParts && (isAdmitted || closedMs === 0);
}

/**
 * Returns the units that a request can get either way: as its own part, or from what others leave unused.
 *
 * @param closedMs - how long one of the three refuses everything
 * @param ofTheLimit - what remains of the limit itself
 * @param kept - how many units of it are kept free for parts
 */
export function remainingWithParts(
  closedMs: Wait,
  ofThePart: number,
  ofAllParts: number,
  ofTheLimit: number,
  kept: number,
): number {
  if (closedMs !== 0) return 0;
  return Math.max(0, Math.min(ofThePart, ofAllParts), ofTheLimit - kept);
}

/** Milliseconds, at least these, until this many units are available beside those that are kept free after these. */
function roomAfterMs(limit: Countable, all: Countable, total: number, lend: number, units: number, ms: number): Wait {
  return later(ms, limit.untilMs(units + keptForPartsAfter(all, total, lend, ms)));
}

/**
 * Milliseconds until this many units are available that no part needs. The longer the wait, the more units the parts
 * have unused, so each step waits for the units that are kept free at the end of the step before.
 *
 * In a bucket, a part can get a unit back before the limit does. So what fits at one moment may not fit at the next
 * one, and the wait has to be right also if it is rounded up to whole seconds, as in `Retry-After`.
 */
export function borrowedAfterMs(
  limit: Countable,
  all: Countable,
  total: number,
  lend: number,
  units: number,
  closedMs: Wait,
): Wait {
  let waitMs = closedMs;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (waitMs === 'never') return 'never';
    let nextMs = roomAfterMs(limit, all, total, lend, units, waitMs);
    if (nextMs === waitMs) {
      const roundedMs = Math.ceil(waitMs / ROUNDED_TO_MS) * ROUNDED_TO_MS;
      nextMs = roomAfterMs(limit, all, total, lend, units, roundedMs);
      if (nextMs === roundedMs || nextMs === 'never') return waitMs;
    }
    waitMs = nextMs;
  }
  return later(waitMs, limit.untilMs(units + keptForParts(total, lend)));
}

/**
 * Returns the wait of a request either way.
 *
 * @param ofThePart - until its own part has room
 * @param borrowedMs - until there is room that no part needs
 * @param closedMs - how long one of the three refuses everything
 */
export function retryWithParts(ofThePart: Wait, borrowedMs: Wait, closedMs: Wait): Wait {
  return later(earlier(ofThePart, borrowedMs), closedMs);
}
