import type { Account } from '../../algorithms/limit-state.js';
import type { Clock } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import type { Clerk } from './evaluate.js';
import type { Question } from './table/check-context.js';
import type { Ledger } from './table/key-table.js';

const NO_TERMS = {};
const NO_OTHERS: readonly Question[] = [];

/**
 * One limit in a store, asked about one key after another without an Ask and a Reply for each: its fields are the last
 * answer, the same as `consume` gives to the one check.
 */
export class Meter implements Omit<Verdict, 'name' | 'limit' | 'cost'> {
  allowed = false;
  remaining = 0;
  used = 0;
  resetAfterMs: number | 'never' = 0;
  retryAfterMs: number | 'never' = 0;
  delayMs = 0;
  /** The store's time of the answer. */
  atMs = Number.NaN;
  /** How many exhausted keys were forgotten for it, of which `sluice:forgot` is to tell. */
  forgotten = 0;

  readonly #question: Question;
  readonly #ledger: Ledger;
  readonly #clerk: Clerk;
  readonly #clock: Clock;
  /** Whether a refusal leaves nothing behind. */
  readonly #isPlain: boolean;

  constructor(question: Question, ledger: Ledger, clerk: Clerk, clock: Clock) {
    const { blockMs, countRejected, quota } = question.limit;
    this.#question = question;
    this.#ledger = ledger;
    this.#clerk = clerk;
    this.#clock = clock;
    this.#isPlain = blockMs === undefined && countRejected === undefined && quota > 0;
  }

  /** The key that is asked about, encoded. */
  get key(): string {
    return this.#question.key;
  }

  /** The key that is asked about from now on. */
  turnTo(key: string): void {
    this.#question.turnTo(key);
  }

  consume(cost: number): void {
    this.#ledger.checkOpen();
    const nowMs = this.#clock.now();
    const question = this.#question;
    question.cost = cost;
    question.nowMs = nowMs;
    this.atMs = nowMs;
    this.forgotten = 0;
    const account = this.#isPlain ? this.#ledger.find(question) : undefined;
    if (account === undefined || !this.#answerPlainly(account)) this.#answer();
  }

  /**
   * Answers about a key that is neither new nor blocked, nor exhausted by the answer, and whose state is as it was: what
   * the kernel says is all there is to it. Returns false, having done nothing, about any other.
   */
  #answerPlainly(account: Account): boolean {
    const question = this.#question;
    const { series, limit, cost, nowMs } = question;
    const { kernel } = series;
    const { state } = account;
    if (account.blockEndsMs !== 0 || account.admittedMs >= 0 || kernel.at(state, limit, nowMs) !== state) return false;
    const free = kernel.free(state, limit, nowMs);
    const units = Math.max(1, cost);
    if (cost > free) {
      this.allowed = false;
      this.remaining = Math.max(0, free);
      this.used = limit.quota - free;
      this.resetAfterMs = kernel.untilMs(state, limit, limit.quota, nowMs);
      this.retryAfterMs = kernel.untilMs(state, limit, units, nowMs);
      this.delayMs = 0;
      return true;
    }
    const remaining = free - cost;
    if (cost === 0 || remaining <= 0) return false;
    this.delayMs = kernel.delayMs === undefined ? 0 : kernel.delayMs(state, limit, nowMs);
    kernel.spend(state, limit, cost, nowMs);
    const resetAfterMs = kernel.untilMs(state, limit, limit.quota, nowMs);
    const keptMs = kernel.keptMs?.(state, limit, nowMs) ?? (resetAfterMs as number);
    this.#ledger.update(question, account, nowMs + keptMs);
    this.allowed = true;
    this.remaining = remaining;
    this.used = limit.quota - remaining;
    this.resetAfterMs = resetAfterMs;
    this.retryAfterMs = units <= remaining ? 0 : kernel.untilMs(state, limit, units, nowMs);
    return true;
  }

  #answer(): void {
    const question = this.#question;
    this.#clerk.ask(question, NO_TERMS, NO_OTHERS, 0);
    const { allowed, standing, cost } = question;
    this.forgotten = this.#clerk.record(question, cost, allowed);
    this.allowed = allowed;
    this.remaining = question.remaining;
    this.used = standing.used;
    this.resetAfterMs = standing.resetAfterMs;
    this.retryAfterMs = question.retryAfterMs;
    this.delayMs = question.delayMs;
  }
}
