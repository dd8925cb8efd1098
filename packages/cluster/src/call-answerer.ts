import type { LimitCheck, MemoryStore, StoreResponse, Verdict } from '@sluice/core';
import { carried, makeCall, type StoreCall, tooLateError } from '@sluice/core/store';
import { FAILED, MOST_LIMITS, RESULT, type SentLimit, SPEND, TIME } from './call-lines.js';

/** What fails if an error is none of ours. */
const WHO = 'the primary';

/** The limits that connections have sent, by their texts: so those of all workers are the same objects, and a store finds them faster. */
export class SharedLimits {
  readonly #limits = new Map<string, SentLimit>();

  share(sent: SentLimit): SentLimit {
    const text = JSON.stringify(sent);
    const known = this.#limits.get(text);
    if (known) return known;
    // Connections keep those that they have sent.
    if (this.#limits.size >= MOST_LIMITS) this.#limits.clear();
    this.#limits.set(text, sent);
    return sent;
  }
}

/** Makes the calls of one connection. */
export class CallAnswerer {
  readonly #store: MemoryStore;
  readonly #shared: SharedLimits;
  readonly #limits: SentLimit[] = [];

  constructor(store: MemoryStore, shared: SharedLimits) {
    this.#store = store;
    this.#shared = shared;
  }

  /** Makes the calls of a line, and returns the line of their answers. */
  answer(line: string): string {
    const calls = JSON.parse(line) as unknown[];
    if (calls[0] !== 0) for (const sent of calls[0] as SentLimit[]) this.#limits.push(this.#shared.share(sent));
    const answers = new AnswerLine();
    let lateMs: number | undefined;
    for (let at = 1; at < calls.length; ) {
      const kind = calls[at] as number;
      if (kind >= 0) {
        this.#spend([this.#check(kind, calls[at + 1] as string, 1)], lateMs, answers);
        at += 2;
      } else if (kind === TIME) {
        lateMs = this.#timeAfter(calls[at + 1] as number | null);
        at += 2;
      } else if (kind === SPEND) {
        const size = calls[at + 1] as number;
        this.#spend(this.#checksOf(calls, at + 2, size), lateMs, answers);
        at += 2 + 3 * size;
      } else {
        this.#call({ method: calls[at + 1], argument: calls[at + 2] } as StoreCall, answers);
        at += 3;
      }
    }
    return answers.text;
  }

  #checksOf(calls: readonly unknown[], from: number, size: number): LimitCheck[] {
    const checks = new Array<LimitCheck>(size);
    for (let i = 0; i < size; i += 1) {
      const at = from + 3 * i;
      checks[i] = this.#check(calls[at] as number, calls[at + 1] as string, calls[at + 2] as number);
    }
    return checks;
  }

  #check(number: number, key: string, cost: number): LimitCheck {
    // Not taken apart by a pattern, which would iterate over it for each call.
    const sent = this.#limits[number] as SentLimit;
    return { policy: sent[0], name: sent[1], key, limit: sent[2], cost };
  }

  #call(call: StoreCall, answers: AnswerLine): void {
    try {
      answers.add(RESULT, makeCall(this.#store, call));
    } catch (error) {
      answers.add(FAILED, carried(error, WHO));
    }
  }

  /** Returns the store's time if a deadline is over. */
  #timeAfter(notAfterMs: number | null): number | undefined {
    if (notAfterMs === null) return undefined;
    const nowMs = this.#store.clock.now();
    return nowMs > notAfterMs ? nowMs : undefined;
  }

  /**
   * Decides about a request that only spends. The store decides faster about one that has no deadline.
   *
   * @param lateMs - the store's time, if the deadline of the request is over
   */
  #spend(checks: readonly LimitCheck[], lateMs: number | undefined, answers: AnswerLine): void {
    try {
      if (lateMs !== undefined) throw tooLateError(lateMs);
      answers.addDecision(this.#store.consume({ checks }), checks);
    } catch (error) {
      answers.add(FAILED, carried(error, WHO));
    }
  }
}

/** The answers to a batch. */
class AnswerLine {
  readonly #answers: unknown[] = [];
  #lastMs: number | undefined;

  get text(): string {
    return `${JSON.stringify(this.#answers)}\n`;
  }

  add(kind: typeof RESULT | typeof FAILED, value: unknown): void {
    this.#answers.push(kind, value);
  }

  addDecision(response: StoreResponse, checks: readonly LimitCheck[]): void {
    const { atMs, allowed, verdicts } = response;
    for (let i = 0; i < verdicts.length; i += 1) {
      const { blocked, overQuota } = verdicts[i] as Verdict;
      if (blocked || overQuota) {
        this.add(RESULT, response);
        return;
      }
    }
    if (atMs !== this.#lastMs) {
      this.#lastMs = atMs;
      this.#answers.push(TIME, atMs);
    }
    const first = verdicts[0] as Verdict;
    if (checks.length === 1 && isPlain(first)) {
      this.#answers.push(first.remaining, first.resetAfterMs);
      return;
    }
    this.#answers.push(SPEND, allowed);
    for (let i = 0; i < verdicts.length; i += 1) {
      const { allowed: isAllowed, remaining, used, resetAfterMs, retryAfterMs, delayMs } = verdicts[i] as Verdict;
      this.#answers.push(isAllowed, remaining, used, resetAfterMs, retryAfterMs, delayMs);
    }
  }
}

/** Whether a verdict says no more than that units were spent. A negative number would stand for something else. */
function isPlain({ allowed, remaining, used, limit, retryAfterMs, delayMs }: Verdict): boolean {
  return allowed && remaining >= 0 && used === limit.quota - remaining && retryAfterMs === 0 && delayMs === 0;
}
