import { estimateText } from '../call/tokens/estimate-text.js';
import { type AnswerForms, answerForms, usageOf } from '../dialects/answers.js';
import type { InvalidUsage } from '../dialects/counts.js';
import type { AnswerProgress, UsageStatement } from '../dialects/dialect.js';
import type { Format } from '../dialects/format.js';
import { responseOf } from '../dialects/responses.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { BilledExtras, withIterations } from './billed-extras.js';
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
  /** The id by which an answer of OpenAI's responses can be fetched; undefined before an event has it. */
  readonly id: string | undefined;
}

const NOTHING: Usage = Object.freeze({
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  complete: false,
});

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
  readonly #forms: AnswerForms;
  /** All fields of a usage whose events have only some of them each. */
  #fields: JsonObject = {};
  #invalid: InvalidUsage | undefined;
  #counted = 0;
  /** Counts a text. A piece that is not empty is at least one token. */
  readonly #say = (text: unknown): void => {
    if (typeof text === 'string') this.#counted += estimateText(text);
  };
  readonly #extras = new BilledExtras();
  readonly #progress: AnswerProgress = { hasFinished: false };

  constructor(format: Format | undefined) {
    this.#format = format;
    this.#forms = answerForms(format);
  }

  get id(): string | undefined {
    return this.#extras.id;
  }

  get usage(): Usage {
    const { stated } = this;
    const known = stated ?? NOTHING;
    return this.#extras.of(known.complete ? known : { ...known, output: Math.max(known.output, this.#counted) });
  }

  get invalid(): InvalidUsage | undefined {
    return this.stated?.complete ? undefined : this.#invalid;
  }

  read(event: unknown): void {
    if (!isObject(event)) return;
    this.#forms.readOutput(event, this.#say);
    this.#readError(event);
    this.#extras.readEvent(event);
    const said = this.#forms.statementOf(event, this.#progress);
    if (said) this.#state(said);
  }

  #readError(event: JsonObject): void {
    const stated = event.error ?? responseOf(event)?.error;
    if (isObject(stated)) this.error ??= stated;
    // OpenAI's responses state their errors without an object around them.
    else if (event.type === 'error') this.error ??= event;
  }

  #state({ usage, isFinal, isPart }: UsageStatement): void {
    if (!isObject(usage)) return;
    if (isPart) this.#fields = { ...this.#fields, ...statedIn(usage) };
    const all = withIterations(isPart ? this.#fields : usage);
    // What is null in an event says something, too.
    this.#extras.readUsage({ ...usage, ...all });
    const found = usageOf(all, this.#format);
    if (!found || (this.stated?.complete && !isFinal)) return;
    const invalid = 'invalid' in found ? found.invalid : this.#extras.invalid;
    if ('invalid' in found || invalid) this.#invalid ??= invalid;
    else this.stated = isFinal ? found.usage : { ...found.usage, complete: false };
  }
}

function statedIn(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => isStated(value)));
}
