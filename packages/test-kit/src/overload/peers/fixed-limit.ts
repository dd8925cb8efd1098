import type { Permit, Priority } from '@sluice/core/load';
import type { MakeGuard } from '../guard.js';

/**
 * A limit of requests in flight that somebody has chosen.
 *
 * @param headroom - the part of it that a class leaves free. Default: none
 */
export function fixedLimit(limit: number, headroom: Partial<Record<Priority, number>> = {}): MakeGuard {
  return () => {
    let inFlight = 0;
    const permit: Permit = {
      done() {
        inFlight -= 1;
      },
      drop() {},
      pause() {},
      resume() {},
    };
    return {
      admit(priority) {
        if (inFlight >= Math.floor(limit * (1 - (headroom[priority] ?? 0)))) return undefined;
        inFlight += 1;
        return permit;
      },
    };
  };
}
