import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Reply } from '../store.js';
import { asAsked } from './derived-reply.js';

/** Notes that a store has no more units, as its reply to a caller that wanted more showed. */
export class Refusal {
  /** A caller that asks for this many units or more is refused. */
  readonly cost: number;
  readonly #reply: Reply;
  readonly #peek: () => Promise<Reply>;
  #exact: Promise<Reply> | undefined;

  /** @param peek - asks the store about exactly this cost */
  constructor(cost: number, reply: Reply, peek: () => Promise<Reply>) {
    this.cost = cost;
    this.#reply = reply;
    this.#peek = peek;
  }

  /**
   * Returns the refusal of a caller that asks for at least this cost; undefined if there is room by now. The first
   * reply makes the refusal certain. If the second one is late, the time to wait is that of more units.
   */
  async of(ask: Ask, budget: DeadlineBudget): Promise<Reply | undefined> {
    this.#exact ??= this.#peek();
    const known = await budget.within(this.#exact).catch(() => undefined);
    if (!known) return this.withoutLook(ask);
    return known.allowed ? undefined : asAsked(ask, known);
  }

  /** Returns the refusal without another look. The time to wait is that of more units. */
  withoutLook(ask: Ask): Reply {
    return asAsked(ask, ofOtherCost(ask, this.#reply));
  }
}

/**
 * Derives the refusal of another cost. If the reply states no wait, the cost fits at the latest when the key is back to its full
 * quota.
 */
function ofOtherCost({ checks }: Ask, reply: Reply): Reply {
  const verdicts = reply.verdicts.map((verdict, i) => {
    const { remaining, retryAfterMs, resetAfterMs } = verdict;
    const allowed = remaining >= (checks[i]?.cost ?? 0);
    const untilMs = typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : resetAfterMs;
    return { ...verdict, allowed, retryAfterMs: allowed ? 0 : untilMs };
  });
  return { ...reply, allowed: false, verdicts };
}
