import type { MakeGuard } from '../guard.js';
import { FREE } from './free-permit.js';

const INTERVAL_MS = 100;
const TARGET_MS = 5;

/**
 * CoDel as in Facebook's folly, by the longest time for which a request can have waited unread: after an interval in which
 * everything waited longer than the target, it refuses what waited longer than twice the target.
 */
export const codel: MakeGuard = ({ eventLoop }) => {
  let [turn, pollMs, idleMs, ageMs] = [-1, 0, 0, 0];
  let [intervalMs, leastMs, isOverloaded] = [0, 0, false];
  const readAge = (nowMs: number): void => {
    if (eventLoop.turns() === turn) return;
    ageMs = eventLoop.idleMs() > idleMs ? 0 : nowMs - pollMs;
    [turn, pollMs, idleMs] = [eventLoop.turns(), nowMs, eventLoop.idleMs()];
  };
  return {
    admit() {
      const nowMs = eventLoop.nowMs();
      readAge(nowMs);
      const waitedMs = ageMs + nowMs - pollMs;
      if (nowMs - intervalMs >= INTERVAL_MS) {
        isOverloaded = leastMs > TARGET_MS;
        [intervalMs, leastMs] = [nowMs, waitedMs];
      }
      leastMs = Math.min(leastMs, waitedMs);
      return isOverloaded && waitedMs > 2 * TARGET_MS ? undefined : FREE;
    },
  };
};
