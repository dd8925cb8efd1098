import { DEFINITIONS } from '../../algorithms/definitions.js';
import type { Capabilities, Store } from '../store.js';

/** Assumed for a store that does not say how it is asked over a network: the defaults of a RedisStore. */
export const ASSUMED_REMOTE: NonNullable<Store['remote']> = Object.freeze({ timeoutMs: 50, instances: 1 });

/** Returns the capabilities of a store in front of which units are counted in advance. */
export function leasedCapabilities({ atomicAcrossKeys, algorithms }: Capabilities): Capabilities {
  const leasable = DEFINITIONS.filter(({ lease }) => lease).map(({ algorithm }) => algorithm);
  return {
    atomicAcrossKeys,
    algorithms: leasable.filter((algorithm) => algorithms === undefined || algorithms.includes(algorithm)),
    exact: false,
  };
}
