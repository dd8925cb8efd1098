import type { Verdict } from '../../values/decision.js';
import { nextOperationId } from '../../values/operation-id.js';
import { laterVerdict } from '../leased/derived-reply.js';
import { haveSameNumbers } from '../leased/request-kind.js';
import type { Check, Reply } from '../store.js';

/** A question to the store: what it answers includes all that it had been told of and had spent when it was asked. */
export interface Question {
  readonly number: number;
  readonly checks: readonly Check[];
  readonly told: number;
  readonly passed: number;
  readonly changes: number;
}

/** What the store said, and when that was heard. */
interface View extends Question {
  readonly reply: Reply;
  /** What the tightest of the limits has left. */
  readonly remaining: number;
  readonly seenMs: number;
}

/** Units that the store is told of in one step: always under the same id, so that it counts them once. */
export interface Telling {
  readonly units: number;
  readonly id: string;
}

/** What one process knows of one kind of request: what the store last said, and what it has not been told yet. */
export class LocalCounter {
  /** Those of the last who asked: their limits' numbers and calendar are the newest. */
  checks: readonly Check[];
  /** Whether anything was decided here since it was last looked at. */
  isUsed = false;
  /** Units that were admitted here, that the store is told of, and of which it has said that it was. */
  #admitted = 0;
  #sent = 0;
  #told = 0;
  /** What the store was told of, and may not have heard: to be told again as it was. */
  #unheard: Telling[] = [];
  /** Units of requests from here that the store has decided about itself. */
  #passed = 0;
  #questions = 0;
  #view: View | undefined;
  /** How often something else was changed in the store from here. */
  #changes = 0;

  constructor(checks: readonly Check[]) {
    this.checks = checks;
  }

  /** Units that were admitted here and may not be in the store. */
  get unsynced(): number {
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
    const free = view.remaining - this.#spentSince(view);
    if (since + cost <= slice && 2 * cost <= free) return this.#admit(view, checks, cost, nowMs);
    const isKnown = this.#spentSince(view) === 0 && isStillRefused(view, cost, nowMs);
    return isKnown ? answer(view, checks, 0, false, nowMs) : undefined;
  }

  question(): Question {
    this.#questions += 1;
    const [number, told, passed, changes] = [this.#questions, this.#told, this.#passed, this.#changes];
    return { number, checks: this.checks, told, passed, changes };
  }

  /** Learns what the store said to a question; answers may come in another order. */
  see(reply: Reply, question: Question, seenMs: number): void {
    if (question.changes < this.#changes || question.number < (this.#view?.number ?? 0)) return;
    const remaining = Math.min(...reply.verdicts.map((verdict) => verdict.remaining));
    this.#view = { ...question, reply, remaining, seenMs };
  }

  /** Learns that the store has spent so many units for a request from here. */
  passed(units: number): void {
    this.#passed += units;
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

  /** Ends it. What the store has not counted is to be told anew. */
  sent(units: number, isCounted: boolean): void {
    if (isCounted) this.#told += units;
    else this.#sent -= units;
  }

  /** Begins to tell all that nobody is telling: each of them ends as `sent`, or as `unheard`. */
  tellings(): readonly Telling[] {
    const tellings = this.#unheard;
    this.#unheard = [];
    const units = this.send();
    return units === 0 ? tellings : [...tellings, { units, id: nextOperationId() }];
  }

  /** The store may have counted it or not. */
  unheard(telling: Telling): void {
    this.#unheard.push(telling);
  }

  #admit(view: View, checks: readonly Check[], cost: number, nowMs: number): Reply {
    this.#admitted += cost;
    this.isUsed = true;
    return answer(view, checks, this.#spentSince(view), true, nowMs);
  }

  /** Units that were admitted here and may not be in what the store said. */
  #since({ told }: View): number {
    return this.#admitted - told;
  }

  /** The same, and what the store has spent since for requests from here. */
  #spentSince(view: View): number {
    return this.#since(view) + this.#passed - view.passed;
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
  const verdicts = new Array<Verdict>(checks.length);
  for (let i = 0; i < checks.length; i += 1) {
    const there = reply.verdicts[i] as Verdict;
    verdicts[i] = laterVerdict(checks[i] as Check, there, since, allowed, agoMs);
  }
  const { timesMs } = reply;
  const now = { atMs: reply.atMs + agoMs, allowed, verdicts };
  return timesMs ? { ...now, timesMs: timesMs.map((atMs) => (atMs === undefined ? atMs : atMs + agoMs)) } : now;
}
