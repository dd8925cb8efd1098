import type { Limit, LimitCheck, MemoryStore, StoreRequest, StoreResponse, Verdict } from '@sluice/core';
import {
  type Asked,
  type CarriedError,
  carried,
  errorOf,
  makeCall,
  type StoreCall,
  tooLateError,
  verdictOf,
  withOwnLimits,
} from '@sluice/core/store';

// The lines of the channel. Each is a list in JSON. What costs time is how many values a list has, and how deep they lie: so the calls of a
// batch, and their answers, are one flat list, and what most of them have in common is not written.
//
// A batch: [new limits, then in any order:
//   the number of a limit, key                                   (a call that spends 1 unit of one limit, as most do)
//   or SPEND, the number of checks, then of each check: the number of its limit, key, cost
//   or ANY_CALL, the method, its argument
//   or TIME, the deadline of the calls that spend after it: it is looked at once for all of them]
// Its answers: [in the order of the calls:
//   remaining, used, resetAfterMs                                (1 unit of one limit was spent, and nobody has to wait)
//   or SPEND, whether it is allowed, then of each check: six fields of its verdict
//   or RESULT, the result
//   or FAILED, the error
//   and before an answer, if it is another one than before it: TIME, the time of the decision]
//
// A limit is sent once in a connection, with its policy and its name. From then on, its number stands for it.

/** The version of these lines, which the first line of a connection names. */
const VERSION = 2;

/** More limits than an application has. Any further one is sent with each call. */
const MOST_LIMITS = 1000;

// What stands in the place of a number that is at least 0.
const TIME = -1;
const SPEND = -2;
const ANY_CALL = -3;
const RESULT = -4;
const FAILED = -5;

/** What fails if an error is none of ours. */
const WHO = 'the primary';

/** A limit as it is sent: its policy, its name in the policy, and itself. */
type SentLimit = readonly [policy: string, name: string, limit: Limit];

/** The first line of each side. The primary adds the time of its store. */
export const greeting = (atMs?: number): string => `${JSON.stringify([VERSION, atMs])}\n`;

/** Returns the store's time in the first line of a primary; undefined if its version is another one. */
export function greeted(line: string): number | undefined {
  const [version, atMs] = JSON.parse(line) as [version: unknown, atMs: number | null];
  return version === VERSION ? (atMs ?? 0) : undefined;
}

/** Writes the calls of one connection. */
export class CallWriter {
  /** By the text of the limit. */
  readonly #numbers = new Map<string, number>();
  /** The same by the object: it is that of a policy, so few texts have to be made. */
  readonly #known = new WeakMap<Limit, { readonly policy: string; readonly name: string; readonly number: number }>();
  #fresh: SentLimit[] = [];

  /** Returns the line of a batch. */
  write(batch: readonly Asked<StoreCall, unknown>[]): string {
    const line: unknown[] = [0];
    let lastMs: number | undefined;
    for (let i = 0; i < batch.length; i += 1) {
      const { question } = batch[i] as Asked<StoreCall, unknown>;
      if (question.method !== 'consume' || !onlySpends(question.argument) || !this.#knows(question.argument.checks)) {
        line.push(ANY_CALL, question.method, question.argument);
        // It may take long, so that the deadline has to be looked at again.
        lastMs = Number.NaN;
        continue;
      }
      const { checks, notAfterMs } = question.argument;
      if (notAfterMs !== lastMs) {
        lastMs = notAfterMs;
        line.push(TIME, notAfterMs ?? null);
      }
      this.#spend(checks, line);
    }
    if (this.#fresh.length > 0) line[0] = this.#fresh;
    const text = JSON.stringify(line);
    // Not before: a batch that cannot be written sends no limits.
    if (this.#fresh.length > 0) this.#fresh = [];
    return `${text}\n`;
  }

  #spend(checks: readonly LimitCheck[], line: unknown[]): void {
    const first = checks[0] as LimitCheck;
    if (checks.length === 1 && first.cost === 1) {
      line.push(this.#numberOf(first), first.key);
      return;
    }
    line.push(SPEND, checks.length);
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as LimitCheck;
      line.push(this.#numberOf(check), check.key, check.cost);
    }
  }

  #knows(checks: readonly LimitCheck[]): boolean {
    for (let i = 0; i < checks.length; i += 1) if (this.#numberOf(checks[i] as LimitCheck) < 0) return false;
    return true;
  }

  /** Returns the number of a check's limit; -1 if it has none. */
  #numberOf({ policy, name, limit }: LimitCheck): number {
    const known = this.#known.get(limit);
    if (known?.policy === policy && known.name === name) return known.number;
    const sent: SentLimit = [policy, name, limit];
    const text = JSON.stringify(sent);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      if (this.#numbers.size >= MOST_LIMITS) return -1;
      number = this.#numbers.size;
      this.#numbers.set(text, number);
      this.#fresh.push(sent);
    }
    this.#known.set(limit, { policy, name, number });
    return number;
  }
}

/** Whether a request only spends from limits, as most do. Any other is sent as it is. */
function onlySpends({ checks, peek, id, holdMs, renew, atLeast }: StoreRequest): boolean {
  if (peek || id !== undefined || holdMs !== undefined || renew || atLeast !== undefined) return false;
  for (let i = 0; i < checks.length; i += 1) {
    const { margin, shadow, parts, calendarBoundsMs } = checks[i] as LimitCheck;
    if (margin || shadow || parts || calendarBoundsMs) return false;
  }
  return checks.length > 0;
}

/** Gives each call of a batch its part of the answers. */
export function readAnswers(batch: readonly Asked<StoreCall, unknown>[], line: string): void {
  const answers = JSON.parse(line) as unknown[];
  let atMs = 0;
  let at = 0;
  for (let i = 0; i < batch.length; i += 1) {
    const { question, receiver } = batch[i] as Asked<StoreCall, unknown>;
    if (answers[at] === TIME) {
      atMs = answers[at + 1] as number;
      at += 2;
    }
    const kind = answers[at] as number;
    if (kind === RESULT) {
      receiver.resolve(withOwnLimits(question, answers[at + 1] ?? undefined));
      at += 2;
    } else if (kind === FAILED) {
      receiver.reject(errorOf(answers[at + 1] as CarriedError));
      at += 2;
    } else if (kind === SPEND) {
      const { checks } = question.argument as StoreRequest;
      const allowed = answers[at + 1] as boolean;
      receiver.resolve({ atMs, allowed, verdicts: verdictsOf(checks, answers, at + 2) });
      at += 2 + FIELDS * checks.length;
    } else {
      const { checks } = question.argument as StoreRequest;
      const verdict = verdictOf(checks[0] as LimitCheck, {
        allowed: true,
        remaining: kind,
        used: answers[at + 1] as number,
        resetAfterMs: answers[at + 2] as number | 'never',
        retryAfterMs: 0,
        delayMs: 0,
      });
      receiver.resolve({ atMs, allowed: true, verdicts: [verdict] });
      at += 3;
    }
  }
}

/** How many fields of a verdict are sent. */
const FIELDS = 6;

function verdictsOf(checks: readonly LimitCheck[], answers: readonly unknown[], from: number): Verdict[] {
  const verdicts = new Array<Verdict>(checks.length);
  let at = from;
  for (let i = 0; i < checks.length; i += 1) {
    verdicts[i] = verdictOf(checks[i] as LimitCheck, {
      allowed: answers[at] as boolean,
      remaining: answers[at + 1] as number,
      used: answers[at + 2] as number,
      resetAfterMs: answers[at + 3] as number | 'never',
      retryAfterMs: answers[at + 4] as number | 'never',
      delayMs: answers[at + 5] as number,
    });
    at += FIELDS;
  }
  return verdicts;
}

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
      this.#answers.push(first.remaining, first.used, first.resetAfterMs);
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
function isPlain({ allowed, remaining, retryAfterMs, delayMs }: Verdict): boolean {
  return allowed && remaining >= 0 && retryAfterMs === 0 && delayMs === 0;
}
