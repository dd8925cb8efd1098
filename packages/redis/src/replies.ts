import {
  type ChangeResponse,
  type ChangeResult,
  type LimitCheck,
  SluiceError,
  type StoreRequest,
  type StoreResponse,
  type Verdict,
} from '@sluice/core';
import { type BegunBlock, blockedHash, enforcedAs, tooLateError, unknownFormError } from '@sluice/core/store';
import type { Writable } from '@sluice/core/values';
import {
  APPLIED,
  EXPIRED,
  FAILED,
  GIVEN_BACK,
  HAS_BEGUN_BLOCK,
  HAS_DELAY,
  HAS_FREE,
  HAS_RETRY,
  IS_ALLOWED,
  IS_BLOCKED,
  IS_OVER_QUOTA,
  OUT_OF_BOUNDS,
  OUTSIDE_BOUNDS,
  REPEATED,
  REPEATS,
  TOO_LATE,
  UNKNOWN_FORM,
} from './generated/scripts.js';

/** The result of a change, by its number. */
const RESULTS: Readonly<Record<number, ChangeResult>> = {
  [APPLIED]: 'applied',
  [REPEATED]: 'repeated',
  [EXPIRED]: 'expired',
  [OUT_OF_BOUNDS]: 'outside-calendar-bounds',
  [GIVEN_BACK]: 'given-back',
};

/** How many bytes a number has. */
const NUMBER_BYTES = 8;

/** The largest first number of a verdict. */
const ALL_BITS = 127;

/** Reads the replies of `lua/consume.lua`, request by request, and of `lua/adjust.lua`. `lua/reply.lua` says how they are packed. */
export class Replies {
  readonly #bytes: Buffer;
  /** Reads the numbers sooner than the methods of Buffer: see "Functions" in `packages/bench/docs/v8.md`. */
  readonly #numbers: DataView;
  readonly #atMs: number;
  #at = NUMBER_BYTES;
  /** The blocks that began with these replies; undefined if none did. */
  begunBlocks: BegunBlock[] | undefined;

  constructor(answer: unknown) {
    if (!Buffer.isBuffer(answer) || answer.length < NUMBER_BYTES) throw unknownAnswer();
    this.#bytes = answer;
    this.#numbers = new DataView(answer.buffer, answer.byteOffset, answer.length);
    this.#atMs = this.#numbers.getFloat64(0, true);
  }

  /** Returns the reply to the next request. Throws the error if it failed. */
  next(request: Pick<StoreRequest, 'checks' | 'atLeast' | 'attempt' | 'holdMs'>): StoreResponse {
    const first = this.#number();
    if (first === REPEATS) return this.#repeated(request);
    if (first < 0) return this.#unanswered(first);
    const { checks, atLeast, attempt, holdMs } = request;
    const verdicts = new Array<Verdict>(checks.length);
    let allowed = true;
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as LimitCheck;
      // What a request takes comes before its verdicts.
      const what = i === 0 && atLeast === undefined ? first : this.#number();
      const verdict = this.#verdict(check, check.cost, what);
      allowed &&= verdict.allowed || verdict.shadow === true;
      verdicts[i] = verdict;
    }
    const reply: Writable<StoreResponse> = { atMs: this.#atMs, allowed, verdicts };
    if (atLeast !== undefined) reply.taken = first;
    if (attempt !== undefined && holdMs !== undefined) reply.attempt = attempt;
    return reply;
  }

  /** Returns the reply to an earlier request. */
  #repeated({ checks, atLeast }: Pick<StoreRequest, 'checks' | 'atLeast'>): StoreResponse {
    const atMs = this.#number();
    const attempt = this.#text();
    const marks = this.#text();
    const first = checks.map((check, i) => enforcedAs(check, marks[i] === '1'));
    const reply = {
      ...this.next({ checks: first, ...(atLeast !== undefined && { atLeast }) }),
      atMs,
      nowMs: this.#atMs,
    };
    return attempt === '' ? reply : { ...reply, attempt };
  }

  /** Returns the reply to a change: the state after it, for one unit of each check. */
  change(checks: readonly LimitCheck[]): ChangeResponse {
    const first = this.#number();
    if (first === UNKNOWN_FORM) throw unknownFormError(this.#atMs);
    const result = RESULTS[first];
    if (!result) throw unknownAnswer();
    const verdicts =
      result === 'outside-calendar-bounds' ? [] : checks.map((check) => this.#verdict(check, 1, this.#number()));
    return { atMs: this.#atMs, result, verdicts };
  }

  #unanswered(reason: number): StoreResponse {
    if (reason === OUTSIDE_BOUNDS)
      return { atMs: this.#atMs, allowed: false, verdicts: [], outsideCalendarBounds: true };
    if (reason === TOO_LATE) throw tooLateError(this.#atMs);
    if (reason === UNKNOWN_FORM) throw unknownFormError(this.#atMs);
    if (reason === FAILED) throw new Error(this.#text());
    throw unknownAnswer();
  }

  /** @param what - the first number of the verdict */
  #verdict(check: LimitCheck, cost: number, what: number): Verdict {
    const { name, limit, shadow } = check;
    // Anything else was not sent by a script.
    if (what !== (what & ALL_BITS)) throw unknownAnswer();
    // Every verdict has these two numbers, and they are most of the numbers of a reply.
    const at = this.#at;
    this.#at = at + 2 * NUMBER_BYTES;
    if (this.#at > this.#bytes.length) throw unknownAnswer();
    const remaining = this.#numbers.getFloat64(at, true) + 0;
    const resetAfterMs = waitOf(this.#numbers.getFloat64(at + NUMBER_BYTES, true) + 0);
    const retryAfterMs = what & HAS_RETRY ? waitOf(this.#number()) : 0;
    const delayMs = what & HAS_DELAY ? this.#number() : 0;
    const free = what & HAS_FREE ? this.#number() : remaining;
    const allowed = (what & IS_ALLOWED) !== 0;
    const used = limit.quota - free;
    const verdict: Writable<Verdict> = {
      name,
      limit,
      cost,
      allowed,
      remaining,
      used,
      resetAfterMs,
      retryAfterMs,
      delayMs,
    };
    const overQuota = what & IS_OVER_QUOTA ? this.#number() : 0;
    const isBlocked = (what & IS_BLOCKED) !== 0;
    if (what & HAS_BEGUN_BLOCK) this.#addBlock(check, this.#number(), this.#number());
    if (overQuota > 0) verdict.overQuota = overQuota;
    if (isBlocked) verdict.blocked = true;
    if (shadow) verdict.shadow = shadow;
    return verdict;
  }

  /** A limit in the shadow blocks nobody. */
  #addBlock(check: LimitCheck, untilMs: number, strikes: number): void {
    if (check.shadow) return;
    this.begunBlocks ??= [];
    this.begunBlocks.push({ policy: check.policy, hash: blockedHash(check), untilMs, strikes });
  }

  #number(): number {
    const at = this.#at;
    this.#at = at + NUMBER_BYTES;
    if (this.#at > this.#bytes.length) throw unknownAnswer();
    // Lua has a negative zero.
    return this.#numbers.getFloat64(at, true) + 0;
  }

  #text(): string {
    const length = this.#number();
    const from = this.#at;
    // After an invalid length, nothing can be read any more.
    this.#at = length >= 0 ? from + length : Number.POSITIVE_INFINITY;
    if (this.#at > this.#bytes.length) throw unknownAnswer();
    return this.#bytes.toString('utf8', from, this.#at);
  }
}

function waitOf(ms: number): number | 'never' {
  return ms === -1 ? 'never' : ms;
}

/** Returns the number in the reply to a command that counts. A client with `stringNumbers` returns it as text. */
export function countIn(answer: unknown): number {
  const count = typeof answer === 'string' && /^\d+$/.test(answer) ? Number(answer) : answer;
  if (typeof count !== 'number') throw unknownAnswer();
  return count;
}

function unknownAnswer(): SluiceError {
  return new SluiceError('SLUICE_STORE', 'Redis gave an answer that none of the scripts gives');
}
