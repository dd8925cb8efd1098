import type { LlmCall } from '../call/llm-call.js';
import type { InvalidUsage } from '../dialects/counts.js';
import { dialectOf } from '../dialects/dialects.js';
import type { Usage } from '../usage/usage.js';
import { createUsageReader, type UsageReader } from '../usage/usage-reader.js';
import { anyBodyReader } from './any-body-reader.js';
import { BatchAnswers } from './batch-answers.js';
import type { BodyReader } from './body-reader.js';

/** Reads the answer to a call: of one that goes on in the background, each answer that says how far it is. */
export class ReadAnswer {
  readonly #call: LlmCall;
  #reader: UsageReader | BatchAnswers;
  #body: BodyReader;

  constructor(call: LlmCall) {
    const { format, batch } = call;
    this.#call = call;
    this.#reader = batch ? new BatchAnswers(format, batch) : createUsageReader(format);
    this.#body = bodyReaderOf(this.#reader);
  }

  /** Begins a further answer about the same call. */
  begin(): void {
    if (!this.#call.batch) this.#reader = createUsageReader(this.#call.format);
    this.#body = bodyReaderOf(this.#reader);
  }

  /** Reads the header fields of an answer. */
  readHeaders(headers: Headers): void {
    const event = dialectOf(this.#call.format).headerEvent?.(headers);
    if (event) this.#reader.read(event);
  }

  /** Returns the chunk as text, if it was decoded by itself. */
  push(chunk: Uint8Array): string | undefined {
    return this.#body.push(chunk);
  }

  read(event: unknown): void {
    this.#reader.read(event);
  }

  /** Call it once after the last chunk of each answer. */
  async end(): Promise<void> {
    await this.#body.end();
  }

  get usage(): Usage {
    return this.#reader.usage;
  }

  /** Of a batch: what each of its calls used that was answered. */
  get parts(): readonly Usage[] | undefined {
    return this.#reader instanceof BatchAnswers ? this.#reader.parts : undefined;
  }

  get invalid(): InvalidUsage | undefined {
    return this.#reader.invalid;
  }

  get error(): unknown {
    return this.#reader.error;
  }

  /** The ids by which a further answer can be fetched, as far as this one says them. */
  get openIds(): readonly string[] {
    const reader = this.#reader;
    if (reader instanceof BatchAnswers) return [...reader.ids];
    return reader.id === undefined ? [] : [reader.id];
  }

  /** Whether the call goes on in the background, and nothing was its last word. */
  get isOpen(): boolean {
    const reader = this.#reader;
    if (reader.invalid || !(this.#call.background || this.#call.batch)) return false;
    return reader instanceof BatchAnswers ? !reader.isKnown && !reader.isUnreadable : !reader.usage.complete;
  }
}

function bodyReaderOf(reader: UsageReader | BatchAnswers): BodyReader {
  return reader instanceof BatchAnswers ? reader.begin() : anyBodyReader(reader);
}
