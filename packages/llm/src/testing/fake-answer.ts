import type { Duration } from '@sluice/core';
import { checkFunction, checkOptions, checkWhole, durationMs, optionError } from '@sluice/core/values';
import type { FakeCall, RecordedCall } from './fake-call.js';

/** A refusal in the place of an answer. */
export interface FakeRefusal {
  /** The status: 400 to 599. 429, 503 and 529 are what providers send under load. */
  readonly status: number;
  /** Milliseconds for `retry-after-ms`. `retry-after` has them in seconds, rounded up. Default: neither is sent. */
  readonly retryAfterMs?: number;
  /** The provider's code of the error. Default: the usual one of the status. */
  readonly code?: string;
  /** The text of the error. */
  readonly message?: string;
}

/** How the fake provider answers a call. Numbers of tokens have the meaning of `Usage`: they do not overlap. */
export interface FakeAnswer {
  /** The text of the answer, in the pieces that a stream sends. Default: five short pieces. */
  readonly chunks?: readonly string[];
  /** Prompt tokens that no cache had. Default: a quarter of the characters of the request's body. */
  readonly input?: number;
  /** Tokens that the model makes for each choice, up to the cap of the call. Default: one for each piece. */
  readonly output?: number;
  /** Prompt tokens that were read from a cache. Default: 0. */
  readonly cacheRead?: number;
  /** Prompt tokens that were written to a cache. Default: 0. */
  readonly cacheWrite?: number;
  /** Tokens of `output` that count as reasoning. Default: 0. */
  readonly reasoning?: number;
  /** Whether the answer states its usage. Default: true. Streams of chats and completions need `include_usage` as well. */
  readonly usage?: boolean;
  /** Whether the answer ends early, at a cap: `response.incomplete`, or the finish reason `length`. Default: false. */
  readonly incomplete?: boolean;
  /** Breaks the connection after so many pieces of a stream, or in the middle of any other answer. */
  readonly dropAfter?: number;
  /** Sends nothing more after so many pieces of a stream, until the caller leaves. */
  readonly stallAfter?: number;
  /** Ends a stream after so many pieces, with an event that says that the provider is overloaded. */
  readonly errorAfter?: number;
  /** Accepts the request and never answers it. Default: false. */
  readonly silent?: boolean;
  /** Time before each piece of a stream, on the clock of the provider. Default: none. */
  readonly pause?: Duration;
  /** Whether the body is sent with `content-encoding: gzip`. Default: false. */
  readonly gzip?: boolean;
  /** More header fields. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Refuses the call. */
  readonly refuse?: FakeRefusal;
}

/** An answer for every call, or a function of the call. */
export type FakeAnswers = FakeAnswer | ((call: FakeCall) => FakeAnswer);

const CHUNKS: readonly string[] = ['Hello', ' to', ' you', ' and', ' all.'];

const COUNTS = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'reasoning',
  'dropAfter',
  'stallAfter',
  'errorAfter',
] as const;

const OPTIONS = [...COUNTS, 'chunks', 'usage', 'incomplete', 'silent', 'pause', 'gzip', 'headers', 'refuse'];

/**
 * Checks an answer before any call gets it.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkAnswer(answer: FakeAnswer, path: string): void {
  checkOptions(answer, OPTIONS, path, { page: 'docs/calling-a-provider.md of @sluice/llm' });
  const { chunks, pause, refuse } = answer;
  for (const name of COUNTS) {
    if (answer[name] !== undefined) checkWhole(answer[name], `${path}.${name}`);
  }
  if (pause !== undefined) durationMs(pause, `${path}.pause`, 0);
  if (chunks !== undefined && !(Array.isArray(chunks) && chunks.every((chunk) => typeof chunk === 'string')))
    throw optionError(`${path}.chunks`, 'must be a list of text', chunks);
  if (refuse === undefined) return;
  checkOptions(refuse, ['status', 'retryAfterMs', 'code', 'message'], `${path}.refuse`);
  checkWhole(refuse.status, `${path}.refuse.status`, 400, 599);
  if (refuse.retryAfterMs !== undefined) checkWhole(refuse.retryAfterMs, `${path}.refuse.retryAfterMs`);
}

/**
 * Returns a function that answers calls.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function answersOf(answers: FakeAnswers): (call: FakeCall) => FakeAnswer {
  if (typeof answers !== 'object') {
    checkFunction(answers, 'answer');
    return (call) => {
      const answer = answers(call);
      checkAnswer(answer, 'answer()');
      return answer;
    };
  }
  checkAnswer(answers, 'answer');
  return () => answers;
}

/** An answer with all of its numbers, for one call. */
export interface FullAnswer {
  /** The number of the call in its provider, from 1. */
  readonly number: number;
  readonly model: string;
  /** Seconds since 1970. */
  readonly createdS: number;
  readonly chunks: readonly string[];
  /** How many answers the caller wants of the prompt. */
  readonly choices: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** For all choices together. */
  readonly output: number;
  readonly reasoning: number;
  /** Whether the answer states its usage. */
  readonly usage: boolean;
  /** Whether a cap ended it. */
  readonly isCut: boolean;
}

/** Completes an answer by what the call asks for. As with the real ones, no answer is longer than the call's cap. */
export function fullAnswerOf(answer: FakeAnswer, call: RecordedCall, number: number): FullAnswer {
  const { asked, text, atMs } = call;
  const { chunks = CHUNKS, input = Math.ceil(text.length / 4), cacheRead = 0, cacheWrite = 0, reasoning = 0 } = answer;
  const { output = chunks.length, usage = true, incomplete = false } = answer;
  const cap = numberOf(asked.cap) ?? Number.POSITIVE_INFINITY;
  const choices = numberOf(asked.choices) ?? 1;
  return {
    number,
    model: typeof asked.model === 'string' ? asked.model : 'fake-model',
    createdS: Math.floor(atMs / 1000),
    chunks: chunks.slice(0, cap),
    choices,
    input,
    cacheRead,
    cacheWrite,
    output: Math.min(output, cap) * choices,
    reasoning,
    usage,
    isCut: incomplete || output > cap,
  };
}

function numberOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}
