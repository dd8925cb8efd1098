import { tokenBucket } from '@sluice/core/src/algorithms/buckets/token';
import type { LimitCheck, Target } from '@sluice/core/src/stores/store';

/** The limit that a probe spends from. It is full again a millisecond later, so its state is tiny. */
const PROBED = /* @__PURE__ */ tokenBucket({ capacity: 1000, refillRate: 1000 });

/** Returns a key for a probe, each time another one. */
export function keyOfProbe(number: number): Target {
  return { policy: `${number}`, name: '', key: `${number}` };
}

/** Returns a check that belongs to no policy, in the place of this key. */
export function probeOf({ policy, key }: Target): LimitCheck {
  return { policy, name: '', key, limit: PROBED, cost: 1 };
}
