import type { Verdict } from '../decision.js';
import type { Check, Reply } from '../store.js';
import { laterVerdict } from './derived-reply.js';
import { haveSameNumbers } from './request-kind.js';

/** A question to the store: what it answers includes all that it had been told of when it was asked. */
export interface Question {
  readonly checks: readonly Check[];
  readonly told: number;
  readonly changes: number;
}

/** What the store said, and when that was heard. */
interface View extends Question {
  readonly reply: Reply;
  readonly seenMs: number;
}

/** What one process knows of one kind of request: what the store last said, and what it has not been told yet. */
export class Tally {
  /** Those of the last who asked: their limits' numbers and calendar are the newest. */
  checks: readonly Check[];
  /** Whether anything was decided here since it was last looked at. */
  isUsed = false;
  /** Units that were admitted here, that the store is told of, and of which it has said that it was. */
  #admitted = 0;
  #sent = 0;
  #told = 0;
  #view: View | undefined;
  /** How often something else was changed in the store from here. */
  #changes = 0;

  constructor(checks: readonly Check[]) {
    this.checks = checks;
  }

  /** Units that were admitted here and may not be in the store. */
  get untold(): number {
    return this.#admitted - this.#told;
  }

  /** Units of which nobody is telling the store. */
  get unsent(): number {
    return this.#admitted - this.#sent;
  }

  /**
   * The answer to a request that costs so much everywhere, where it can be given by what is known here. It cannot when
   * nothing is, or nothing that is young enough; where more than a slice would be admitted by what was known before;
   * where it might be the last to be admitted, or the first to be refused: only the store knows when there is room again.
   */
  decide(checks: readonly Check[], cost: number, slice: number, nowMs: number, youngMs: number): Reply | undefined {
    const view = this.#view;
    if (!view || nowMs - view.seenMs >= youngMs || !haveSameNumbers(checks, view.checks)) return undefined;
    const since = this.#since(view);
    const free = Math.min(...view.reply.verdicts.map(({ remaining }) => remaining)) - since;
    if (since + cost <= slice && 2 * cost <= free) return this.#admit(view, checks, cost, nowMs);
    return since === 0 && isStillRefused(view, cost, nowMs) ? answer(view, checks, 0, false, nowMs) : undefined;
  }

  question(): Question {
    return { checks: this.checks, told: this.#told, changes: this.#changes };
  }

  /** Learns what the store said to a question; answers may come in another order. */
  see(reply: Reply, question: Question, seenMs: number): void {
    if (question.changes < this.#changes || question.told < (this.#view?.told ?? 0)) return;
    this.#view = { ...question, reply, seenMs };
  }

  /** Forgets what the store said, and what it is saying: something was changed there. */
  changed(): void {
    this.#view = undefined;
    this.#changes += 1;
  }

  /** Begins to tell the store of what nobody is telling it of: so many units. */
  send(): number {
    const units = this.unsent;
    this.#sent += units;
    return units;
  }

  /** Ends it. What the store may not have heard is told again. */
  sent(units: number, isHeard: boolean): void {
    if (isHeard) this.#told += units;
    else this.#sent -= units;
  }

  #admit(view: View, checks: readonly Check[], cost: number, nowMs: number): Reply {
    this.#admitted += cost;
    this.isUsed = true;
    return answer(view, checks, this.#since(view), true, nowMs);
  }

  /** Units that were admitted here and may not be in what the store said. */
  #since({ told }: View): number {
    return this.#admitted - told;
  }
}

/** Whether a request that costs as much as the one that was answered so would be refused as well. */
function isStillRefused({ reply, seenMs }: View, cost: number, nowMs: number): boolean {
  return reply.verdicts.some(
    (verdict) =>
      verdict.cost === cost &&
      verdict.remaining < cost &&
      (verdict.retryAfterMs === 'never' || nowMs < seenMs + verdict.retryAfterMs),
  );
}

function answer(
  { reply, seenMs }: View,
  checks: readonly Check[],
  since: number,
  allowed: boolean,
  nowMs: number,
): Reply {
  const agoMs = Math.max(0, nowMs - seenMs);
  const verdicts = checks.map((check, i) => {
    const there = reply.verdicts[i] as Verdict;
    return laterVerdict(check, there, Math.max(0, there.remaining - since), allowed, agoMs);
  });
  return { atMs: reply.atMs + agoMs, allowed, verdicts };
}
