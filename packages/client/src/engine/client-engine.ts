// Why it is so: core/docs/why/outgoing-calls.md

import { SluiceError } from '@sluice/core';
import { pickFields } from '../headers/fields.js';
import { readRateLimit } from '../headers/read-rate-limit.js';
import { readRetryAfter } from '../headers/retry-after.js';
import type { AnswerHead, Exchange, Outcome, Sent } from './exchange.js';
import type { Grant, OutgoingLimiter } from './outgoing-limiter.js';
import { backoffMs, isRepeatable, mayPass, type RetryPolicy } from './retry-policy.js';

/** The times that servers state are lengthened by up to this part, so that clients do not all come back at once. */
const STATED_JITTER = 0.1;

/** Statuses whose answers have no body, whatever their fields say. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The codes of requests that were not sent. */
const NOT_SENT: ReadonlySet<string> = new Set(['SLUICE_REFUSED', 'SLUICE_UNAVAILABLE']);

const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);

/** What an engine is made of. */
interface EngineParts<Source, G extends Grant> {
  readonly limiter: OutgoingLimiter<Source, G>;
  /** Undefined: nothing is sent twice. */
  readonly retry: RetryPolicy | undefined;
  readonly maxWaitMs: number;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
}

/** What a send has led to. */
interface Result<Answer> extends Outcome {
  readonly answer?: Answer;
}

/** One send, and its result. */
interface Attempt<Answer> extends Result<Answer> {
  readonly grant: Grant;
  /** Undefined if the server states none. */
  readonly statedMs: number | undefined;
  /** Whether all callers were stopped for that time. */
  readonly isBlocked: boolean;
}

/** How an engine asks its limiter about an exchange, and what else it does with a result. */
export interface EngineExchange<Source, Answer, G extends Grant = Grant> extends Exchange<Answer> {
  readonly source: Source;
  /** Called with the result of each send. It may return an answer in place of the one that came. */
  charge?: (grant: G, result: Result<Answer>) => Promise<Answer | undefined>;
}

/**
 * Sends requests within limits: asks the limiter, sends, reads what the answer states, stops all callers if the server
 * asks for it, and sends again if that is safe. It knows no transport.
 */
export class ClientEngine<Source, G extends Grant = Grant> {
  readonly #parts: EngineParts<Source, G>;

  constructor(parts: EngineParts<Source, G>) {
    this.#parts = parts;
  }

  get #nowMs(): number {
    return this.#parts.limiter.clock.now();
  }

  /**
   * Resolves with the answer that is handed on: the first good one, or the last one where no retry is possible.
   *
   * @throws SluiceError `SLUICE_REFUSED` if the request was not sent because its turn would come too late; the reason of
   * the signal; the error of the transport
   */
  async run<Answer>(exchange: EngineExchange<Source, Answer, G>): Promise<Sent<Answer>> {
    const deadlineMs = this.#nowMs + (exchange.maxWaitMs ?? this.#parts.maxWaitMs);
    const leftMs = (): number => Math.max(0, deadlineMs - this.#nowMs);
    let last: Attempt<Answer> | undefined;
    for (let count = 1; ; count += 1) {
      const grant = await this.#turn(exchange, leftMs(), last);
      if (!grant) return handedOn(exchange, last as Attempt<Answer>);
      if (count === 1) grant.budget.deposit();
      last = await this.#send(exchange, grant);
      const pauseMs = this.#pauseMs(exchange, last, count, leftMs());
      if (pauseMs === undefined) return handedOn(exchange, last);
      // Whoever waits holds no slot.
      grant.ended();
      await this.#sleep(exchange, last, pauseMs);
    }
  }

  /** Waits for the turn of a request. Undefined if a retry would come too late: the last result stands then. */
  async #turn<Answer>(
    exchange: EngineExchange<Source, Answer, G>,
    maxWaitMs: number,
    last: Attempt<Answer> | undefined,
  ): Promise<G | undefined> {
    const { signal } = exchange;
    try {
      const grant = await this.#parts.limiter.wait(exchange.source, { signal, maxWaitMs });
      discard(exchange, last);
      return grant;
    } catch (error) {
      if (last && error instanceof SluiceError && NOT_SENT.has(error.code)) return undefined;
      discard(exchange, last);
      throw error;
    }
  }

  /** Sends once, and lets everybody know what came of it. */
  async #send<Answer>(exchange: EngineExchange<Source, Answer, G>, grant: G): Promise<Attempt<Answer>> {
    const result = await this.#resultOf(exchange);
    const isStopping = grant.answered(result);
    const statedMs = this.#statedMs(result);
    const isBlocked = statedMs !== undefined && statedMs > 0 && isStopping;
    // A stop comes first, because what is learned lets others go.
    if (isBlocked) await grant.block(statedMs);
    await grant.learn(result);
    try {
      const charged = await exchange.charge?.(grant, result);
      return { grant, statedMs, isBlocked, ...result, ...(charged !== undefined && { answer: charged }) };
    } catch (error) {
      discard(exchange, result);
      throw error;
    }
  }

  async #resultOf<Answer>(exchange: Exchange<Answer>): Promise<Result<Answer>> {
    try {
      const answer = await exchange.send();
      const head = exchange.read(answer);
      return { answer, head, advice: readRateLimit(head.headers, this.#nowMs) };
    } catch (error) {
      return { advice: [], error };
    }
  }

  /** How long the server wants nothing to be sent, and a little longer; undefined if it does not say. */
  #statedMs({ head }: Outcome): number | undefined {
    const ms = head && (readRetryAfter(head.headers, this.#nowMs) ?? head.bodyDelayMs);
    return ms && Math.ceil(ms * (1 + STATED_JITTER * this.#parts.random()));
  }

  /** How long to pause before a request is sent again; undefined if it is not sent again. */
  #pauseMs<Answer>(
    { head, signal, canRepeat }: Exchange<Answer>,
    attempt: Attempt<Answer>,
    count: number,
    leftMs: number,
  ): number | undefined {
    const { retry, random } = this.#parts;
    const { statedMs, isBlocked, grant } = attempt;
    if (!retry || count >= retry.attempts || signal?.aborted) return undefined;
    if (!mayPass(attempt) || !canRepeat || !isRepeatable(retry, head)) return undefined;
    const pauseMs = statedMs ?? backoffMs(retry, count, random);
    if (pauseMs > leftMs || !grant.budget.withdraw()) return undefined;
    // A block lets the request wait in line with all others.
    return isBlocked ? 0 : pauseMs;
  }

  async #sleep<Answer>({ signal, ...exchange }: Exchange<Answer>, last: Attempt<Answer>, ms: number): Promise<void> {
    if (ms === 0) return;
    try {
      await this.#parts.limiter.clock.sleep(ms, signal);
    } catch (error) {
      discard(exchange, last);
      throw error;
    }
  }
}

/** Returns the result of the last attempt, or throws its error. Where nothing is to be read, its slot is free at once. */
function handedOn<Answer>(exchange: Exchange<Answer>, { grant, answer, error, head }: Attempt<Answer>): Sent<Answer> {
  const isOver = !head || hasNoBody(exchange.head, head);
  if (isOver) grant.ended();
  if (!head) throw error;
  if (isOver) return { answer: answer as Answer, holdsSlot: false, ended() {} };
  return { answer: answer as Answer, holdsSlot: grant.holdsSlot, ended: () => grant.ended() };
}

/** Whether the head says that no body follows (RFC 9112 section 6.3). A caller would have no reason to read it. */
function hasNoBody({ method }: Request, { status, headers }: AnswerHead): boolean {
  // Another protocol follows.
  if (status === 101) return false;
  if (method === 'HEAD' || BODILESS.has(status)) return true;
  return Number(pickFields(headers, CONTENT_LENGTH).get('content-length') ?? Number.NaN) === 0;
}

function discard<Answer>(
  { discard: end }: Pick<Exchange<Answer>, 'discard'>,
  result: Result<Answer> | undefined,
): void {
  if (result?.head) end(result.answer as Answer);
}
