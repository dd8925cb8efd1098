import type { Verdict } from '../decision.js';
import type { Check, Reply } from '../store.js';
import { later } from './as-asked.js';

/** What one process knows of one kind of request: what the store last said, and what it has not been told yet. */
export class Tally {
  /** Those of the last who asked: their limits' numbers and calendar are the newest. */
  checks: readonly Check[] = [];
  /** Units that were admitted here and are not in the store. */
  unreported = 0;
  /** Whether anybody asked since it was last looked at. */
  isUsed = true;
  /** The report that is on its way. */
  reporting: Promise<Reply> | undefined;
  #view: { readonly reply: Reply; readonly seenMs: number } | undefined;
  /** Units that it has been told of since. */
  #reportedSince = 0;

  /**
   * Whether the store has to be asked about a request first: when nothing is known of it, when too much would be untold, and before
   * a refusal for what was admitted here since, which the store can tell for how long.
   */
  hasToReport(cost: number, slice: number): boolean {
    if (!this.#view) return true;
    return cost <= this.free ? this.unreported + cost > slice : this.#since > 0;
  }

  /** Units that are free by what is known here. */
  get free(): number {
    const remaining = this.#view?.reply.verdicts.map((verdict) => verdict.remaining) ?? [0];
    return Math.min(...remaining) - this.#since;
  }

  see(reply: Reply, seenMs: number): void {
    this.#view = { reply, seenMs };
    this.#reportedSince = 0;
  }

  reported(units: number): void {
    this.unreported -= units;
    this.#reportedSince += units;
  }

  /** The answer to a request of so much, by what is known here; an admitted one is to be added to the unreported first. */
  answer(checks: readonly Check[], allowed: boolean, nowMs: number): Reply {
    const { reply, seenMs } = this.#view as { reply: Reply; seenMs: number };
    const agoMs = Math.max(0, nowMs - seenMs);
    const verdicts = checks.map((check, i) => this.#verdict(check, reply.verdicts[i] as Verdict, allowed, agoMs));
    return { atMs: reply.atMs + agoMs, allowed, verdicts };
  }

  #verdict({ name, limit, cost }: Check, there: Verdict, isAdmitted: boolean, agoMs: number): Verdict {
    const remaining = Math.max(0, there.remaining - this.#since);
    const fits = remaining >= Math.max(1, cost);
    return {
      name,
      limit,
      cost,
      allowed: isAdmitted || fits,
      remaining,
      resetAfterMs: later(there.resetAfterMs, agoMs),
      retryAfterMs: fits ? 0 : later(there.retryAfterMs, agoMs),
      delayMs: 0,
    };
  }

  get #since(): number {
    return this.unreported + this.#reportedSince;
  }
}
