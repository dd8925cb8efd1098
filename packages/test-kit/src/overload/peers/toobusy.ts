import type { MakeGuard } from '../guard.js';
import { FREE } from './free-permit.js';

const SAMPLE_MS = 500;
const SMOOTHING = 1 / 3;

/**
 * Refuses at random, more often the longer a timer of 500 ms is late: nobody at `maxLagMs`, everybody at twice that. It is
 * what toobusy-js does.
 */
export function toobusy(maxLagMs: number): MakeGuard {
  return ({ eventLoop, every, random }) => {
    let [lastMs, lagMs] = [0, 0];
    every(SAMPLE_MS, () => {
      const nowMs = eventLoop.nowMs();
      const lateMs = Math.max(0, nowMs - lastMs - SAMPLE_MS);
      lagMs = SMOOTHING * lateMs + (1 - SMOOTHING) * lagMs;
      lastMs = nowMs;
    });
    return { admit: () => (random() < (lagMs - maxLagMs) / maxLagMs ? undefined : FREE) };
  };
}
