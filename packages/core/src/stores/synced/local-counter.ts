import type { Verdict } from '../../values/decision.js';
import { nextOperationId } from '../../values/operation-id.js';
import { laterVerdict } from '../leased/derived-reply.js';
import { haveSameNumbers } from '../leased/request-kind.js';
import type { Check, Reply } from '../store.js';

/** A question to the store: its answer includes all that was synced and spent when it was asked. */
export interface Question {
  readonly number: number;
  readonly checks: readonly Check[];
  readonly synced: number;
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

/** Units that are reported to the store in one step: always under the same id, so that it counts them once. */
export interface Report {
  readonly units: number;
  readonly id: string;
}

/** What one process knows of one kind of request: the store's last answer, and the units that are unsynced. */
export class LocalCounter {
  /** Those of the last who asked: their limits' numbers and calendar are the newest. */
  checks: readonly Check[];
  /** Whether anything was decided here since it was last looked at. */
  isUsed = false;
  /** Units that were admitted here; those of them that are on their way to the store, or there; and those that are there. */
  #admitted = 0;
  #sent = 0;
  #synced = 0;
  /** Reports that may not have arrived: to be repeated as they were. */
  #unconfirmed: Report[] = [];
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
    return this.#admitted - this.#synced;
  }

  /** Units that no report to the store contains. */
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
    const [number, synced, passed, changes] = [this.#questions, this.#synced, this.#passed, this.#changes];
    return { number, checks: this.checks, synced, passed, changes };
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

  /** Begins to report the units that no report contains: so many. */
  send(): number {
    const units = this.unsent;
    this.#sent += units;
    return units;
  }

  /** Ends it. Units that the store has not counted are to be reported anew. */
  sent(units: number, isCounted: boolean): void {
    if (isCounted) this.#synced += units;
    else this.#sent -= units;
  }

  /** Begins all reports that are due: each of them ends as `sent`, or as `unconfirmed`. */
  reports(): readonly Report[] {
    const reports = this.#unconfirmed;
    this.#unconfirmed = [];
    const units = this.send();
    return units === 0 ? reports : [...reports, { units, id: nextOperationId() }];
  }

  /** The store may have counted it or not. */
  unconfirmed(report: Report): void {
    this.#unconfirmed.push(report);
  }

  #admit(view: View, checks: readonly Check[], cost: number, nowMs: number): Reply {
    this.#admitted += cost;
    this.isUsed = true;
    return answer(view, checks, this.#spentSince(view), true, nowMs);
  }

  /** Units that were admitted here and may not be in what the store said. */
  #since({ synced }: View): number {
    return this.#admitted - synced;
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
