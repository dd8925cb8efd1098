import type { Verdict } from '../decision.js';
import type { Check, Reply } from '../store.js';
import { laterVerdict } from './derived-reply.js';

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
  /** What the store said when it was last looked at. */
  #view: { readonly reply: Reply; readonly seenMs: number } | undefined;
  /** Units that the store has been told of since `#view`. */
  #reportedSince = 0;

  /**
   * Whether the store has to be asked before a request is answered: when nothing is known of it, when more than a slice
   * would be admitted by what was known before, and before a refusal because of units that were admitted here since, as
   * only the store knows when those are free again. What the store was told counts until it has answered, since others
   * may have told it as much.
   */
  hasToReport(cost: number, slice: number): boolean {
    if (!this.#view) return true;
    return cost <= this.free ? this.#since + cost > slice : this.#since > 0;
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

  /** The answer to a request, by what is known here. What it spends has to be in `unreported` already. */
  answer(checks: readonly Check[], allowed: boolean, nowMs: number): Reply {
    const { reply, seenMs } = this.#view as { reply: Reply; seenMs: number };
    const agoMs = Math.max(0, nowMs - seenMs);
    const verdicts = checks.map((check, i) => {
      const there = reply.verdicts[i] as Verdict;
      return laterVerdict(check, there, Math.max(0, there.remaining - this.#since), allowed, agoMs);
    });
    return { atMs: reply.atMs + agoMs, allowed, verdicts };
  }

  /** Units that were admitted here since the store was last looked at. */
  get #since(): number {
    return this.unreported + this.#reportedSince;
  }
}
