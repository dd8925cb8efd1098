import type { Format } from '../call/llm-call.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { outputTokensOf } from './output-deltas.js';
import { type InvalidUsage, statedUsage } from './stated-usage.js';
import type { Usage } from './usage.js';

/** Reads the usage of one answer from its events as they come. */
export interface UsageReader {
  /**
   * Reads one event of a stream, or a whole answer: its JSON, parsed. Anything that is no object is ignored, such as the
   * text `[DONE]`.
   */
  read(event: unknown): void;
  /**
   * The tokens that are known so far. Until the usage is complete, `output` is the larger one of what the provider reported and
   * what the pieces of text add up to, and `input` is 0 if the provider has not reported it.
   */
  readonly usage: Usage;
  /** The last usage as the provider stated it, without what was counted; undefined before the first one. */
  readonly stated: Usage | undefined;
  /** The number that makes no sense, if the provider stated one. The usage is never complete then. */
  readonly invalid: InvalidUsage | undefined;
  /** The first error that an event stated. */
  readonly error: unknown;
}

const NOTHING: Usage = Object.freeze({
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  complete: false,
});

/** Answers of OpenAI's responses that have one of these states do not change any more. */
const FINAL_STATES: readonly unknown[] = ['completed', 'incomplete', 'failed', 'cancelled'];

/**
 * Makes a reader for one answer.
 *
 * @param format - the dialect, if you know it. Default: recognized by the names of the fields
 */
export function createUsageReader(format?: Format): UsageReader {
  return new EventUsageReader(format);
}

class EventUsageReader implements UsageReader {
  stated: Usage | undefined;
  error: unknown;
  readonly #format: Format | undefined;
  /** All fields that Anthropic's events have stated: each event has only some of them, and its numbers are totals. */
  #fields: JsonObject = {};
  #invalid: InvalidUsage | undefined;
  #counted = 0;
  /** Whether an answer of OpenAI's chat has ended. A usage before that is a sum so far. */
  #hasFinished = false;

  constructor(format: Format | undefined) {
    this.#format = format;
  }

  get usage(): Usage {
    const { stated } = this;
    if (!stated) return this.#counted === 0 ? NOTHING : { ...NOTHING, output: this.#counted };
    return stated.complete || stated.output >= this.#counted ? stated : { ...stated, output: this.#counted };
  }

  get invalid(): InvalidUsage | undefined {
    return this.stated?.complete ? undefined : this.#invalid;
  }

  read(event: unknown): void {
    if (!isObject(event)) return;
    this.#counted += outputTokensOf(event);
    const { type, message } = event;
    const response = responseOf(event);
    this.#readError(event, response);
    if (type === 'message_start' && isObject(message)) this.#readAnthropic(message.usage, false);
    else if (type === 'message_delta') this.#readAnthropic(event.usage, true);
    else if (response) this.#state(response.usage, FINAL_STATES.includes(response.status));
    else this.#readAnswer(event);
  }

  #readError(event: JsonObject, response: JsonObject | undefined): void {
    const stated = event.error ?? response?.error;
    if (isObject(stated)) this.error ??= stated;
    // OpenAI's responses state their errors without an object around them.
    else if (event.type === 'error') this.error ??= event;
  }

  #readAnthropic(usage: unknown, isFinal: boolean): void {
    if (!isObject(usage)) return;
    const stated = Object.entries(usage).filter(([, value]) => isStated(value));
    this.#fields = { ...this.#fields, ...Object.fromEntries(stated) };
    this.#state(this.#fields, isFinal);
  }

  /** Reads a whole answer, or an event of OpenAI's chat or completions. */
  #readAnswer(answer: JsonObject): void {
    const { choices, status, object, x_groq } = answer;
    const isOpen = Array.isArray(choices) && choices.length > 0;
    if (isOpen) this.#hasFinished ||= choices.some(hasEnded);
    const usage = answer.totalUsage ?? answer.usage ?? (isObject(x_groq) ? x_groq.usage : undefined);
    if (!isObject(usage)) return;
    const isRunning = object === 'response' && !FINAL_STATES.includes(status);
    this.#state(usage, !isRunning && (!isOpen || this.#hasFinished));
  }

  #state(stated: unknown, isFinal: boolean): void {
    const found = statedUsage(stated, this.#format);
    if (!found || (this.stated?.complete && !isFinal)) return;
    if ('invalid' in found) this.#invalid ??= found.invalid;
    else this.stated = isFinal ? found.usage : { ...found.usage, complete: false };
  }
}

/** Returns the response that events of OpenAI's responses have: `response.completed`. */
function responseOf({ type, response }: JsonObject): JsonObject | undefined {
  return typeof type === 'string' && type.startsWith('response.') && isObject(response) ? response : undefined;
}

/** Whether a choice is whole: it says why it ended, or has a message instead of a piece. */
function hasEnded(choice: unknown): boolean {
  return isObject(choice) && (typeof choice.finish_reason === 'string' || isObject(choice.message));
}
