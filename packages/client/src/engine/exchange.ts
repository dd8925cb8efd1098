import type { Advice } from '../headers/advice.js';
import type { HeaderSource } from '../headers/fields.js';

/** What the head of an answer says. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: HeaderSource;
  /** The milliseconds that the body wants the caller to wait. */
  readonly bodyDelayMs?: number;
}

/** A request, and how a transport sends it. */
export interface Exchange<Answer> {
  /** The request without its body. */
  readonly head: Request;
  /** Ends every wait, and the exchange itself. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the longest wait of the client. */
  readonly maxWaitMs?: number | undefined;
  /** Whether its body can be sent again. */
  readonly canRepeat: boolean;
  /** Sends it. Resolves with the head of the answer, or rejects if there is none. */
  send(): Promise<Answer>;
  read(answer: Answer): AnswerHead;
  /** Ends an answer that is not handed on. Its body was not read. */
  discard(answer: Answer): void;
}

/** An answer that is handed on. */
export interface Sent<Answer> {
  readonly answer: Answer;
  /** Whether a slot is held until `ended` is called. */
  readonly holdsSlot: boolean;
  /** Call it when the body has ended, however it ended. */
  ended(): void;
}

/** The outcome of one send: an answer, or the error in its place. */
export interface Outcome {
  readonly head?: AnswerHead;
  readonly advice: readonly Advice[];
  readonly error?: unknown;
}
