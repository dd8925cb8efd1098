import type { Clock, Reservation } from '@sluice/core';
import type { HttpReservation } from '@sluice/core/http';
import { reasonOf, show, warn } from '@sluice/core/values';
import type { LlmCall } from '../call/llm-call.js';
import { publishSettled } from '../events.js';
import { heldBy } from '../settle/settlement.js';
import type { Usage } from '../usage/usage.js';
import type { BackgroundCalls } from './background-calls.js';
import type { CallEnd, CallOutcome, Settlement } from './call-outcome.js';
import { type HeldCall, type HoldTimer, holdTimerOf } from './hold-timer.js';
import type { Meter } from './meter.js';
import { type BodyEdit, meteredBody } from './metered-body.js';
import { isErrorStatus } from './provider-error.js';
import { ReadAnswer } from './read-answer.js';

/** What a meter follows, and how it settles. */
interface MeterOptions {
  /** If it is the reservation of an HTTP request, the meter takes over its settlement from the adapter. */
  readonly reservation: Reservation<boolean> | HttpReservation;
  readonly call: LlmCall;
  readonly settle: Settlement;
  readonly clock: Clock;
  /** Milliseconds without progress after which a call counts as abandoned. */
  readonly maxHoldMs: number;
  /** Keeps the calls that go on in the background. Absent: they are settled when their request is answered. */
  readonly background?: BackgroundCalls;
  /** Called once at the end, with the error that the provider stated within its answer, if it did. */
  readonly onEnd?: (outcome: CallOutcome, error: unknown) => void;
}

/**
 * So many bytes of an error are read before anybody wants them: callers who try again do not read errors to their end. What stands
 * behind them says nothing of a usage.
 */
const LONGEST_ERROR = 65_536;

/** One chunk is read before anybody wants it: an answer that turns out to be empty has then ended, although nobody has a reason to read it. */
const FIRST_CHUNK = 1;

/** A meter that also changes what it passes on. */
export interface EditingMeter extends Meter {
  /** @param edit - changes the body on its way. Absent: it passes as it came */
  response(answer: Response, edit?: BodyEdit): Response;
}

/** Follows one call of a model, and settles its reservation once. */
export function createMeter(options: MeterOptions): EditingMeter {
  return new CallMeter(options);
}

class CallMeter implements EditingMeter {
  readonly #options: MeterOptions;
  readonly #answer: ReadAnswer;
  readonly #timer: HoldTimer;
  readonly #hold: HeldCall;
  /** Called when nobody reads the rest of the answer. */
  #cancelBody: (() => void) | undefined;
  #notifyEnd: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#notifyEnd = resolve;
  });
  /** Whether the provider has answered with an error. */
  #isRefused = false;
  #bytes = 0;
  /** Present after the first end, unless the call goes on in the background. It never rejects. */
  #settled: Promise<void> | undefined;
  /** The ids by which its answer can be fetched, if it goes on in the background. */
  readonly #openIds = new Set<string>();
  /** Whether it waits for somebody who fetches its answer. */
  #isWaiting = false;

  constructor(options: MeterOptions) {
    const { reservation, call, clock, maxHoldMs } = options;
    this.#options = options;
    this.#answer = new ReadAnswer(call);
    this.#timer = holdTimerOf(clock, maxHoldMs);
    this.#hold = this.#timer.add(() => this.#abandon());
    if ('deferSettle' in reservation) this.#takeOver(reservation);
  }

  get usage(): Usage {
    return this.#answer.usage;
  }

  response(answer: Response, edit?: BodyEdit): Response {
    const { body, status, statusText } = answer;
    this.#isRefused = isErrorStatus(status);
    this.#answer.readHeaders(answer.headers);
    // Nobody can follow a body that somebody else reads.
    if (!body || body.locked) {
      void this.end('complete');
      return answer;
    }
    const watch = { push: (chunk: Uint8Array) => this.#push(chunk), end: (how: CallEnd) => this.end(how) };
    const metered = meteredBody(body, watch, { aheadBytes: this.#isRefused ? LONGEST_ERROR : FIRST_CHUNK, edit });
    this.#cancelBody = metered.cancel;
    try {
      return new Response(metered.stream, { status, statusText, headers: decodedFields(answer) });
    } catch (error) {
      // Servers can send statuses that no Response may have, such as 600. Nobody will read this answer.
      metered.cancel();
      void this.end('broken');
      throw error;
    }
  }

  push(chunk: Uint8Array): void {
    this.#push(chunk);
  }

  #push(chunk: Uint8Array): string | undefined {
    if (this.#settled) return undefined;
    this.#timer.renew(this.#hold);
    const text = this.#answer.push(chunk);
    this.#bytes += chunk.length;
    // A longer one is read no further until somebody wants it.
    if (this.#isRefused && this.#bytes >= LONGEST_ERROR) void this.end('refused');
    return text;
  }

  read(event: unknown): void {
    if (this.#settled) return;
    this.#timer.renew(this.#hold);
    this.#answer.read(event);
  }

  end(how: CallEnd): Promise<void> {
    this.#settled ??= this.#end(how);
    return this.#settled;
  }

  settle(usage: Usage): Promise<void> {
    this.#settled ??= this.#settle({ end: 'complete', usage });
    return this.#settled;
  }

  /** Keeps the slots until the units are corrected: whoever gets the slot next is checked against the real numbers. */
  #takeOver(reservation: HttpReservation): void {
    // The slot of a call in the background belongs to it for longer than a request may keep one.
    reservation.deferSettle({ slots: this.#options.call.background === true });
    reservation.releaseAfter(this.ended);
  }

  #abandon(): void {
    this.#cancelBody?.();
    void this.end('abandoned');
  }

  resume(answer: Response): Response {
    // Two may fetch it at the same time. An error says nothing of the call.
    if (this.#settled || !this.#isWaiting || !answer.body || isErrorStatus(answer.status)) return answer;
    this.#isWaiting = false;
    this.#answer.begin();
    return this.response(answer);
  }

  async #end(how: CallEnd): Promise<void> {
    await this.#answer.end();
    if (this.#goesOn(how)) return this.#wait();
    this.#timer.remove(this.#hold);
    const { usage, parts, invalid } = this.#answer;
    if (invalid) warnOfUsage(this.#options, invalid);
    const end = endOf(this.#isRefused ? 'refused' : how, { usage, invalid });
    await this.#settle({ end, usage, ...(parts && { parts }) });
  }

  /** Whether the provider works on in the background, and its answer can still be fetched. */
  #goesOn(how: CallEnd): boolean {
    const isRead = how === 'complete' || how === 'broken';
    if (!this.#options.background || this.#isRefused || !isRead) return false;
    for (const id of this.#answer.openIds) this.#openIds.add(id);
    // An answer that broke off may not even have the id.
    return this.#openIds.size > 0 && this.#answer.isOpen;
  }

  /** Waits until somebody fetches the answer. Asking for it is progress. */
  async #wait(): Promise<void> {
    this.#timer.renew(this.#hold);
    this.#isWaiting = true;
    this.#settled = undefined;
    for (const id of this.#openIds) this.#options.background?.add(id, this);
    // A batch is no call at the same time: the provider works on it when it can.
    if (this.#options.call.batch) await this.#releaseSlots();
  }

  async #releaseSlots(): Promise<void> {
    const { reservation, call } = this.#options;
    try {
      await reservation.release();
    } catch (error) {
      warn(
        'SLUICE_HOOK_FAILED',
        `the slot of a batch of ${call.model} is free when its lease ends: ${reasonOf(error)}`,
      );
    }
  }

  async #settle(outcome: CallOutcome): Promise<void> {
    const { reservation, call, onEnd, background } = this.#options;
    this.#timer.remove(this.#hold);
    for (const id of this.#openIds) background?.remove(id);
    const settled = this.#settledCall(outcome);
    try {
      await reservation.settle(settled.amounts);
    } catch (error) {
      warnOfCharge(call, error);
    }
    this.#notifyEnd();
    const { policy } = reservation;
    const { microDollars, held } = settled;
    publishSettled({ policy, call, ...outcome, ...(microDollars !== undefined && { microDollars }), held });
    onEnd?.(outcome, this.#answer.error);
  }

  /** A price table may be the application's own, and fail. Nobody waits for an end, so it must not be an error of the process. */
  #settledCall(outcome: CallOutcome): ReturnType<Settlement> {
    const { reservation, call, settle } = this.#options;
    try {
      return settle(call, outcome, heldBy(reservation));
    } catch (error) {
      warnOfCharge(call, error);
      return { amounts: {}, held: {} };
    }
  }
}

function warnOfCharge({ model }: LlmCall, error: unknown): void {
  warn('SLUICE_HOOK_FAILED', `a call of ${model} was not settled, so its charge stays: ${reasonOf(error)}`);
}

/** The fields of an answer whose body `fetch` has decoded. */
function decodedFields(answer: Response): Headers {
  const headers = new Headers(answer.headers);
  if (!headers.has('content-encoding')) return headers;
  headers.delete('content-encoding');
  headers.delete('content-length');
  return headers;
}

/**
 * Only the provider's last word decides whether a call is complete: clients cancel streams that they have read to the
 * end, and connections end cleanly before it.
 */
function endOf(how: CallEnd, { usage, invalid }: Pick<ReadAnswer, 'usage' | 'invalid'>): CallEnd {
  if (usage.complete) return 'complete';
  // A usage without a sense says that the provider may have worked, whatever else was said.
  if (invalid) return 'abandoned';
  return how === 'complete' ? 'broken' : how;
}

const warned = new WeakSet<Settlement>();

function warnOfUsage({ settle, call }: MeterOptions, { field, received }: { field: string; received: unknown }): void {
  if (warned.has(settle)) return;
  warned.add(settle);
  warn(
    'SLUICE_LLM_USAGE',
    `the provider stated ${field}: ${show(received)} for ${call.model}, which makes no sense: such calls are charged at least as held`,
  );
}
