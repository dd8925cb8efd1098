import { boundOf, type Limit, type LimitCheck } from '@sluice/core';
import * as assert from '../assert.js';

interface Admission {
  readonly atMs: number;
  readonly units: number;
}

/** Records what was admitted when, by the name of the limit, to compare it with the worst case of each limit. */
export class Admissions {
  readonly #limits = new Map<string, Limit>();
  readonly #admitted = new Map<string, Admission[]>();

  count(checks: readonly LimitCheck[], atMs: number): void {
    for (const { name, limit, cost, shadow } of checks) {
      if (shadow) continue;
      this.#limits.set(name, limit);
      const admitted = this.#admitted.get(name) ?? [];
      this.#admitted.set(name, [...admitted, { atMs, units: cost }]);
    }
  }

  assertWithinBounds(): void {
    for (const [name, limit] of this.#limits) {
      const admitted = this.#admitted.get(name) as Admission[];
      admitted.forEach((first, i) => {
        let units = 0;
        for (const last of admitted.slice(i)) {
          units += last.units;
          assert.ok(units <= boundOf(limit, last.atMs - first.atMs + 1), `${name} admitted ${units}`);
        }
      });
    }
  }
}
