import { DEFINITIONS } from '../../algorithms/definitions.js';
import type { Capabilities, Store } from '../store.js';

/** What holds of a store that does not say how it is asked over a network: what a RedisStore has by default. */
export const ASSUMED_REMOTE: NonNullable<Store['remote']> = Object.freeze({ timeoutMs: 50, instances: 1 });

/** What a store can do in front of which units are counted apart. */
export function leasedCapabilities({ atomicAcrossKeys, algorithms }: Capabilities): Capabilities {
  const leasable = DEFINITIONS.filter(({ lease }) => lease).map(({ algorithm }) => algorithm);
  return {
    atomicAcrossKeys,
    algorithms: leasable.filter((algorithm) => algorithms === undefined || algorithms.includes(algorithm)),
    exact: false,
  };
}
