import type { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type { StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { asAsked } from '../in-front/derived-response.js';

/** Notes that a store has no more units, as its response to a caller that wanted more showed. */
export class Refusal {
  /** A caller that asks for this many units or more is refused. */
  readonly cost: number;
  readonly #response: StoreResponse;
  readonly #peek: () => Promise<StoreResponse>;
  #exact: Promise<StoreResponse> | undefined;

  /** @param peek - asks the store about exactly this cost */
  constructor(cost: number, response: StoreResponse, peek: () => Promise<StoreResponse>) {
    this.cost = cost;
    this.#response = response;
    this.#peek = peek;
  }

  /**
   * Returns the refusal of a caller that asks for at least this cost; undefined if there is room by now. The first
   * reply makes the refusal certain. If the second one is late, the time to wait is that of more units.
   */
  async of(request: StoreRequest, budget: DeadlineBudget): Promise<StoreResponse | undefined> {
    this.#exact ??= this.#peek();
    const known = await budget.within(this.#exact).catch(() => undefined);
    if (!known) return this.withoutPeek(request);
    return known.allowed ? undefined : asAsked(request, known);
  }

  /** Returns the refusal without a peek. The time to wait is that of more units. */
  withoutPeek(request: StoreRequest): StoreResponse {
    return asAsked(request, ofOtherCost(request, this.#response));
  }
}

/**
 * Derives the refusal of another cost. If the response states no wait, the cost fits at the latest when the key is back to its full
 * quota.
 */
function ofOtherCost({ checks }: StoreRequest, response: StoreResponse): StoreResponse {
  const verdicts = response.verdicts.map((verdict, i) => {
    const { remaining, retryAfterMs, resetAfterMs } = verdict;
    const allowed = remaining >= (checks[i]?.cost ?? 0);
    const untilMs = typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : resetAfterMs;
    return { ...verdict, allowed, retryAfterMs: allowed ? 0 : untilMs };
  });
  return { ...response, allowed: false, verdicts };
}
