import type { Permit } from '@sluice/core/load';
import type { MakeGuard } from '../guard.js';

/** A limit of requests in flight that somebody has chosen. */
export function fixedLimit(limit: number): MakeGuard {
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
      admit() {
        if (inFlight >= limit) return undefined;
        inFlight += 1;
        return permit;
      },
    };
  };
}
