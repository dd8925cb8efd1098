import type { LimitSetup, Setup, Step, Tape } from '../../src/tape/tape.js';

export const CALM = { delayMs: [1, 1], slow: 0, slowMs: 0, breaks: 0, twice: 0 } as const;

export function limitOf(changed: Partial<LimitSetup> = {}): LimitSetup {
  return { name: 'a', by: 'subject', limit: { algorithm: 'sliding-window', limit: 5, windowMs: 1000 }, ...changed };
}

/** Returns a small tape, in which one process counts in its memory. */
export function tapeOf(steps: readonly Step[], setup: Partial<Setup> = {}): Tape {
  return {
    version: 1,
    chance: 0,
    setup: {
      processes: [{ clockAheadMs: 0 }],
      servers: [],
      store: { kind: 'memory' },
      policies: [{ name: 'p0', onStoreError: 'local', variants: [[limitOf()]] }],
      network: CALM,
      lastsMs: steps.at(-1)?.atMs ?? 0,
      ...setup,
    },
    steps,
  };
}
