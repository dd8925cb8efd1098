import type { Limit, LimitCheck, StoreRequest, Verdict } from '@sluice/core';
import { type Asked, type CarriedError, errorOf, type StoreCall, verdictOf, withOwnLimits } from '@sluice/core/store';
import { ANY_CALL, FAILED, FIELDS, MOST_LIMITS, RESULT, type SentLimit, SPEND, TIME } from './call-lines.js';

/** A limit that was sent, and its number. */
interface NumberedLimit {
  readonly limit: Limit;
  readonly policy: string;
  readonly name: string;
  readonly number: number;
}

/** Writes the calls of one connection. */
export class CallWriter {
  /** By the text of the limit. */
  readonly #numbers = new Map<string, number>();
  /** The same by the object: it is that of a policy, so few texts have to be made. */
  readonly #known = new WeakMap<Limit, NumberedLimit>();
  /** The one that was used last: most calls of a batch are about the same. */
  #last: NumberedLimit | undefined;
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
    const known = this.#last?.limit === limit ? this.#last : this.#known.get(limit);
    if (known?.policy === policy && known.name === name) {
      this.#last = known;
      return known.number;
    }
    const sent: SentLimit = [policy, name, limit];
    const text = JSON.stringify(sent);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      if (this.#numbers.size >= MOST_LIMITS) return -1;
      number = this.#numbers.size;
      this.#numbers.set(text, number);
      this.#fresh.push(sent);
    }
    this.#known.set(limit, { limit, policy, name, number });
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
      const check = (question.argument as StoreRequest).checks[0] as LimitCheck;
      const verdict = verdictOf(check, {
        allowed: true,
        remaining: kind,
        used: check.limit.quota - kind,
        resetAfterMs: answers[at + 1] as number | 'never',
        retryAfterMs: 0,
        delayMs: 0,
      });
      receiver.resolve({ atMs, allowed: true, verdicts: [verdict] });
      at += 2;
    }
  }
}

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
