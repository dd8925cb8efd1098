import type { MakeGuard } from '../guard.js';
import { FREE } from './free-permit.js';

const SAMPLE_MS = 1000;

/** Refuses everybody for a second after a second in which the loop was busy for more than `most` of it, from 0 to 1. */
export function loopUtilization(most: number): MakeGuard {
  return ({ eventLoop, every }) => {
    let [lastMs, lastIdleMs, isBusy] = [0, 0, false];
    every(SAMPLE_MS, () => {
      const [nowMs, idleMs] = [eventLoop.nowMs(), eventLoop.idleMs()];
      isBusy = 1 - (idleMs - lastIdleMs) / (nowMs - lastMs) > most;
      [lastMs, lastIdleMs] = [nowMs, idleMs];
    });
    return { admit: () => (isBusy ? undefined : FREE) };
  };
}
