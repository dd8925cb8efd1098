import { checkSlice, sliceUnits } from '@sluice/core/src/algorithms/slice';
import type { LimitCheck, StoreRequest } from '@sluice/core/src/stores/store';
import { sharedCost } from '../in-front/request-kind.js';

/** How many units this process may admit before it synchronizes, by the option `slice`. */
export class SliceSize {
  readonly #slice: number | undefined;

  /** @throws SluiceError `SLUICE_OPTION` */
  constructor(slice: number | undefined) {
    this.#slice = checkSlice(slice);
  }

  /** Returns the units of a kind of request: those of the limit that allows the fewest. */
  of(checks: readonly LimitCheck[]): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < checks.length; i += 1) {
      least = Math.min(least, sliceUnits(this.#slice, (checks[i] as LimitCheck).limit.quota));
    }
    return least;
  }

  /** Returns the cost of a request on each of its limits, if this process may decide it. */
  costIn(request: StoreRequest): number | undefined {
    const cost = sharedCost(request);
    return cost !== undefined && cost <= this.of(request.checks) ? cost : undefined;
  }
}
