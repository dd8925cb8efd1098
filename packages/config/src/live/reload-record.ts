import type { Clock } from '@sluice/core';
import type { Mistake } from '../file/mistake.js';
import type { PolicyStatus } from './policy-status.js';

/** A text that was rejected. */
export interface Rejected {
  /** Empty if the text could not be read. */
  readonly revision: string;
  readonly mistakes: readonly Mistake[];
}

/** What the status tells about reloads. */
export class ReloadRecord {
  readonly #clock: Clock;
  readonly #counts = { applied: 0, unchanged: 0, rejected: 0 };
  #succeededAtMs = 0;
  /** The newest text, if it was rejected. */
  rejected: Rejected | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  succeeded(outcome: 'applied' | 'unchanged'): void {
    this.#counts[outcome] += 1;
    this.#succeededAtMs = this.#clock.now();
    this.rejected = undefined;
  }

  failed(rejected: Rejected): void {
    this.#counts.rejected += 1;
    this.rejected = rejected;
  }

  read(): Pick<PolicyStatus, 'reloads' | 'lastReload' | 'rejected'> {
    const { rejected } = this;
    return {
      reloads: { ...this.#counts },
      lastReload: { successful: rejected === undefined, succeededAtMs: this.#succeededAtMs },
      ...(rejected && { rejected }),
    };
  }
}
