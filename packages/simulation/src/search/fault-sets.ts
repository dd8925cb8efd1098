import type { FaultStep } from '../tape/tape.js';

export type FaultKind = FaultStep['fault'];

/** What may go wrong in a run. */
export interface FaultSet {
  readonly kinds: readonly FaultKind[];
  /** Whether messages may be slow, lost, or arrive twice. */
  readonly network?: true;
  /** Whether the clocks of servers may go faster or slower. */
  readonly drift?: true;
  /** Whether processes may run different versions of the code and of the policies. */
  readonly versions?: true;
}

/** By name. Most defects need no fault, or one kind of it, and are found faster if nothing else goes wrong. */
export const FAULT_SETS = {
  none: { kinds: [] },
  network: { kinds: ['cut', 'lag'], network: true },
  stalls: { kinds: ['stall'] },
  crashes: { kinds: ['crash', 'start'] },
  'server-loss': { kinds: ['restart', 'fail-over', 'flush', 'forget-scripts', 'lose-key'] },
  freeze: { kinds: ['freeze'] },
  full: { kinds: ['fill'] },
  clocks: { kinds: ['set-clock'], drift: true },
  deploy: { kinds: ['start'], versions: true },
  all: {
    kinds: [
      ...['cut', 'lag', 'stall', 'crash', 'start', 'restart', 'fail-over', 'flush', 'forget-scripts', 'lose-key'],
      ...['freeze', 'fill', 'set-clock'],
    ] as FaultKind[],
    network: true,
    drift: true,
    versions: true,
  },
} as const satisfies Readonly<Record<string, FaultSet>>;

export type FaultSetName = keyof typeof FAULT_SETS;

export const FAULT_SET_NAMES = Object.keys(FAULT_SETS) as readonly FaultSetName[];

export function isFaultSetName(name: string): name is FaultSetName {
  return Object.hasOwn(FAULT_SETS, name);
}
