import { longestLeaseMs } from '../tape/longest-lease.js';
import type { LimitNumbers, LimitSetup, PlanSetup, Tape } from '../tape/tape.js';

/**
 * How long a fleet goes on as usual after its last step and fault: units that nobody could give back are given up after a minute. Then
 * time is skipped, as if all machines were suspended, and nothing can be said any more of what was under way.
 */
export const GOES_ON_MS = 65_000;

/** States end some time after they could. */
const LINGERS_MS = 60_000;

/** An operation, or the correction of a charge, is remembered at least this long. */
const REMEMBERED_MS = 60_000;

/** Returns after which time without any call every state of a tape's limits has ended, and nothing is remembered any more. */
export function restMsOf({ setup, steps }: Tape): number {
  const leaseMs = longestLeaseMs(setup.store);
  const states = setup.policies.flatMap(({ variants }) => {
    const limits = variants.flat();
    return limits.map((one) => 2 * (longestMs(one.limit, largestCapacity(limits, one)) + leaseMs));
  });
  const remembered = steps.map((step) => {
    if ('fault' in step) return 0;
    if (step.call === 'share') return step.expiresMs;
    if (step.call === 'block') return step.forMs;
    return 'rememberMs' in step ? (step.rememberMs ?? 0) : 0;
  });
  const planned = (setup.plans ?? []).map(longestOfPlanMs);
  const longest = Math.max(REMEMBERED_MS, ...states, ...planned, ...remembered);
  return longest + longestWaitMs(steps) + clockSpreadMs(setup.servers) + LINGERS_MS;
}

/** A charge on several nodes can be corrected until the clock that is ahead says so: the others remember that by theirs. */
function clockSpreadMs(servers: Tape['setup']['servers']): number {
  const aheadMs = servers.map(({ clockAheadMs }) => clockAheadMs);
  return Math.max(0, ...aheadMs) - Math.min(0, ...aheadMs);
}

/** Who waits spends units as late as that after its call. */
function longestWaitMs(steps: Tape['steps']): number {
  return Math.max(0, ...steps.map((step) => ('maxWaitMs' in step ? step.maxWaitMs : 0)));
}

/** A bucket "is kept until it is full by the largest capacity that has written it" (packages/config/docs/changing-limits-safely.md). */
function largestCapacity(limits: readonly LimitSetup[], { name }: LimitSetup): number {
  const same = limits.filter((limit) => limit.name === name);
  return Math.max(0, ...same.map(({ limit }) => ('capacity' in limit ? limit.capacity : 0)));
}

/** How long a state can matter after its last use, in the store that decides. */
function longestMs(limit: LimitNumbers, capacity: number): number {
  switch (limit.algorithm) {
    case 'token-bucket':
      return keptMs(limit, capacity) + (limit.blockMs ?? 0);
    case 'leaky-bucket':
      return (capacity / limit.leakRate) * 1000;
    case 'concurrency':
      return limit.leaseMs;
    default:
      return 2 * limit.windowMs + (limit.blockMs ?? 0);
  }
}

/** Until it is full again. One that never refills is kept so long after its last use; by default, longer than any rest. */
function keptMs(
  { refillRate, keepForMs = 0 }: Extract<LimitNumbers, { algorithm: 'token-bucket' }>,
  capacity: number,
): number {
  return refillRate === 0 ? keepForMs : (capacity / refillRate) * 1000;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MONTH_MS = 31 * DAY_MS;

/**
 * A call that nobody ends is given up after its longest hold, or after two if it made progress. Timers that are due come late, because
 * rest passes in few parts.
 */
function longestOfPlanMs({ limits, together, maxHoldMs }: PlanSetup): number {
  const numbers = { ...limits, ...together };
  const windowMs = numbers.perMonth !== undefined ? MONTH_MS : numbers.perDay !== undefined ? DAY_MS : 2 * MINUTE_MS;
  return 2 * (2 * maxHoldMs + windowMs);
}
