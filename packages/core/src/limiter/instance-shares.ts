import { shareOf } from '../algorithms/share.js';
import { changedCheck } from '../stores/check-parts.js';
import type { LimitCheck } from '../stores/store.js';
import { getOrCreate } from '../values/get-or-create.js';
import type { Limit } from '../values/limit.js';
import type { LimitChange } from './limit-change.js';
import { shareOfMargin } from './margin.js';

/** The shares of limits that one of several instances admits by itself, while the store fails that they have together. */
export class InstanceShares {
  readonly #instances: number;
  readonly #shares = new WeakMap<Limit, Limit>();

  constructor(instances: number) {
    this.#instances = instances;
  }

  /** Whether there is one instance, whose share is the whole limit. */
  get isWhole(): boolean {
    return this.#instances === 1;
  }

  /** Returns the same checks against this instance's share. A cost above the share counts as the whole share. */
  of(checks: readonly LimitCheck[]): readonly LimitCheck[] {
    if (this.isWhole) return checks;
    return checks.map((check) =>
      changedCheck(check, (one) => {
        const limit = this.#shareOf(one.limit);
        const cost = one.cost <= one.limit.quota ? Math.min(one.cost, limit.quota) : one.cost;
        return { ...shareOfMargin(one, limit), limit, cost };
      }),
    );
  }

  /** Returns a change that gives checks against shares the shares of other limits. */
  changeOf(change: LimitChange): LimitChange {
    if (this.isWhole) return change;
    return (check) => {
      const changed = change(check);
      return changed === check ? check : { ...changed, limit: this.#shareOf(changed.limit) };
    };
  }

  #shareOf(limit: Limit): Limit {
    return getOrCreate(this.#shares, limit, () => shareOf(limit, this.#instances));
  }
}
