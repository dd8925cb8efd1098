import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Reply } from '../store.js';
import { asAsked } from './derived-reply.js';

/** That a store has no more to give, by what it answered to one who wanted more. */
export class Refusal {
  /** Who asks for so much or more is refused. */
  readonly cost: number;
  readonly #reply: Reply;
  readonly #look: () => Promise<Reply>;
  #exact: Promise<Reply> | undefined;

  /** @param look - what the store says to one who asks for just that. */
  constructor(cost: number, reply: Reply, look: () => Promise<Reply>) {
    this.cost = cost;
    this.#reply = reply;
    this.#look = look;
  }

  /**
   * The refusal of one who asks for no less; undefined where there is room by now. It is certain from the first answer
   * on: where the second does not come in time, the time to wait is one for more units.
   */
  async of(ask: Ask, budget: DeadlineBudget): Promise<Reply | undefined> {
    this.#exact ??= this.#look();
    const known = await budget.within(this.#exact).catch(() => ofFewer(ask, this.#reply));
    return known.allowed ? undefined : asAsked(ask, known);
  }
}

/** More than there ever is never fits; fewer units do when the key is as fresh. */
function ofFewer({ checks }: Ask, reply: Reply): Reply {
  const verdicts = reply.verdicts.map((verdict, i) => {
    const { remaining, retryAfterMs, resetAfterMs } = verdict;
    const allowed = remaining >= (checks[i]?.cost ?? 0);
    const untilMs = retryAfterMs === 'never' ? resetAfterMs : retryAfterMs;
    return { ...verdict, allowed, retryAfterMs: allowed ? 0 : untilMs };
  });
  return { ...reply, allowed: false, verdicts };
}
