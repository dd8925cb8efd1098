import { FragileStore as FragileMemory } from '@sluice/conformance/src/adapter-suite/fragile-store';
import type { Store } from '@sluice/core';
import { protectStore } from '@sluice/core/store';
import { ManualClock } from '../../src/testing/manual-clock.js';

/** How a store fails: it throws like a broken store, or rejects like a lost connection. */
export type Failing = 'by throwing' | 'by rejecting';

/** A store that the test switches off and on, and that several instances may share. */
export class FragileStore extends FragileMemory {
  override readonly clock: ManualClock;
  readonly remote: NonNullable<Store['remote']>;

  constructor(failing: Failing, instances = 1, clock = new ManualClock()) {
    super(clock, failing === 'by rejecting');
    this.clock = clock;
    this.remote = { timeoutMs: 10_000, instances, protect: protectStore };
  }
}
