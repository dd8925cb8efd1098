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
} from '@sluice/core/store';

// The lines of the channel. Each is a list in JSON. What costs time is how many values a list has, and how deep they lie: so the calls of a
// batch, and their answers, are one flat list, and times are written as the difference from the first one.
//
// A batch: [first deadline, new limits, then of each call:
//   the number of checks, deadline - first deadline, then of each check: number of the limit, key, cost   (a call that only spends)
//   or 0, the method, its argument]
// Its answers: [first time, then of each call:
//   ALLOWED or REFUSED, time - first time, then of each check six numbers of its verdict   (of a call that only spends)
//   or RESULT, the result
//   or FAILED, the error]
//
// A limit is sent once in a connection, with its policy and its name. From then on, its number stands for it.

/** The version of these lines, which the first line of a connection names. */
const VERSION = 1;

/** More limits than an application has. Any further one is sent with each call. */
const MOST_LIMITS = 1000;

/** Stands for a call that does more than spend: no call that spends has 0 checks. */
const ANY_CALL = 0;

/** What fails if an error is none of ours. */
const WHO = 'the primary';

const REFUSED = 0;
const ALLOWED = 1;
const RESULT = 2;
const FAILED = 3;

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
    const line: unknown[] = [0, 0];
    let firstMs: number | undefined;
    for (let i = 0; i < batch.length; i += 1) {
      const { question } = batch[i] as Asked<StoreCall, unknown>;
      if (question.method === 'consume' && onlySpends(question.argument) && this.#knows(question.argument.checks)) {
        const { checks, notAfterMs } = question.argument;
        firstMs ??= notAfterMs;
        line.push(checks.length, notAfterMs === undefined ? null : notAfterMs - (firstMs as number));
        for (let c = 0; c < checks.length; c += 1) {
          const check = checks[c] as LimitCheck;
          line.push(this.#numberOf(check), check.key, check.cost);
        }
      } else {
        line.push(ANY_CALL, question.method, question.argument);
      }
    }
    line[0] = firstMs ?? 0;
    if (this.#fresh.length > 0) {
      line[1] = this.#fresh;
      this.#fresh = [];
    }
    return `${JSON.stringify(line)}\n`;
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
  const firstMs = answers[0] as number;
  let at = 1;
  for (let i = 0; i < batch.length; i += 1) {
    const { question, receiver } = batch[i] as Asked<StoreCall, unknown>;
    const kind = answers[at];
    if (kind === RESULT) {
      receiver.resolve(answers[at + 1] ?? undefined);
      at += 2;
    } else if (kind === FAILED) {
      receiver.reject(errorOf(answers[at + 1] as CarriedError));
      at += 2;
    } else {
      const { checks } = question.argument as StoreRequest;
      const atMs = firstMs + (answers[at + 1] as number);
      receiver.resolve({ atMs, allowed: kind === ALLOWED, verdicts: verdictsOf(checks, answers, at + 2) });
      at += 2 + NUMBERS * checks.length;
    }
  }
}

/** How many numbers of a verdict are sent. */
const NUMBERS = 6;

function verdictsOf(checks: readonly LimitCheck[], answers: readonly unknown[], from: number): Verdict[] {
  const verdicts = new Array<Verdict>(checks.length);
  let at = from;
  for (let i = 0; i < checks.length; i += 1) {
    verdicts[i] = verdictOf(checks[i] as LimitCheck, {
      allowed: answers[at] === ALLOWED,
      remaining: answers[at + 1] as number,
      used: answers[at + 2] as number,
      resetAfterMs: answers[at + 3] as number | 'never',
      retryAfterMs: answers[at + 4] as number | 'never',
      delayMs: answers[at + 5] as number,
    });
    at += NUMBERS;
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
    const firstMs = calls[0] as number;
    if (calls[1] !== 0) for (const sent of calls[1] as SentLimit[]) this.#limits.push(this.#shared.share(sent));
    const answers: unknown[] = [0];
    for (let at = 2; at < calls.length; ) {
      const size = calls[at] as number;
      if (size === ANY_CALL) {
        this.#call({ method: calls[at + 1], argument: calls[at + 2] } as StoreCall, answers);
        at += 3;
      } else {
        const leftMs = calls[at + 1] as number | null;
        this.#spend(this.#checksOf(calls, at + 2, size), leftMs === null ? undefined : firstMs + leftMs, answers);
        at += 2 + 3 * size;
      }
    }
    return `${JSON.stringify(answers)}\n`;
  }

  #checksOf(calls: readonly unknown[], from: number, size: number): LimitCheck[] {
    const checks = new Array<LimitCheck>(size);
    for (let i = 0; i < size; i += 1) {
      const at = from + 3 * i;
      const [policy, name, limit] = this.#limits[calls[at] as number] as SentLimit;
      checks[i] = { policy, name, key: calls[at + 1] as string, limit, cost: calls[at + 2] as number };
    }
    return checks;
  }

  #call(call: StoreCall, answers: unknown[]): void {
    try {
      const result = makeCall(this.#store, call);
      answers.push(RESULT, result);
    } catch (error) {
      answers.push(FAILED, carried(error, WHO));
    }
  }

  /** Decides about a request that only spends. The store decides faster about one that has no deadline, so that is looked at here. */
  #spend(checks: readonly LimitCheck[], notAfterMs: number | undefined, answers: unknown[]): void {
    try {
      if (notAfterMs !== undefined) {
        const nowMs = this.#store.clock.now();
        if (nowMs > notAfterMs) throw tooLateError(nowMs);
      }
      add(this.#store.consume({ checks }), answers);
    } catch (error) {
      answers.push(FAILED, carried(error, WHO));
    }
  }
}

function add(response: StoreResponse, answers: unknown[]): void {
  const { atMs, allowed, verdicts } = response;
  for (let i = 0; i < verdicts.length; i += 1) {
    const { blocked, overQuota } = verdicts[i] as Verdict;
    if (blocked || overQuota) {
      answers.push(RESULT, response);
      return;
    }
  }
  if (answers[0] === 0) answers[0] = atMs;
  answers.push(allowed ? ALLOWED : REFUSED, atMs - (answers[0] as number));
  for (let i = 0; i < verdicts.length; i += 1) {
    const verdict = verdicts[i] as Verdict;
    answers.push(verdict.allowed ? ALLOWED : REFUSED, verdict.remaining, verdict.used);
    answers.push(verdict.resetAfterMs, verdict.retryAfterMs, verdict.delayMs);
  }
}
