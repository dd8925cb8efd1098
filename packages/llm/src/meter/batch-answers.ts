import type { LlmCall } from '../call/llm-call.js';
import { type BatchForm, batchFormOf } from '../dialects/batches.js';
import type { InvalidUsage } from '../dialects/counts.js';
import { isObject, type JsonObject } from '../json-object.js';
import { LineSplitter } from '../line-splitter.js';
import type { Usage } from '../usage/usage.js';
import { createUsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { gzipReader } from './gzip-reader.js';
import { JsonMembers } from './json-members.js';

/** The most characters of one line of results. A longer one is not read, so the batch stays charged as held. */
const LONGEST_LINE = 16_777_216;

/** An answer about a batch is small. Results can be of any size. */
const LONGEST_STATE = 65_536;

const STATE = [
  ...['id', 'object', 'type', 'status', 'processing_status', 'request_counts', 'output_file_id'],
  'error',
] as const;

const GZIP = 0x1f;

/** Reads what a provider says about one batch, over several answers: how far it is, and what each of its calls has used. */
export class BatchAnswers {
  /** What each call used that was answered, by the last results that were read. */
  parts: Usage[] = [];
  /** The error that the last answer stated. */
  error: unknown;
  invalid: InvalidUsage | undefined;
  /** The ids by which the batch, and the file with its results, are fetched. */
  readonly ids = new Set<string>();
  readonly #form: BatchForm;
  readonly #batch: NonNullable<LlmCall['batch']>;
  /** How many calls were answered, as the provider states it when the batch is over. */
  #answered: number | undefined;
  /** Lines of results, and those of them that nobody can read. */
  #lines = 0;
  #unread = 0;

  constructor(format: LlmCall['format'], batch: NonNullable<LlmCall['batch']>) {
    this.#form = batchFormOf(format) as BatchForm;
    this.#batch = batch;
  }

  /** The tokens of all calls. They are final if every call is known. */
  get usage(): Usage {
    const sums = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
    const parts = Object.keys(sums) as (keyof typeof sums)[];
    for (const usage of this.parts) for (const part of parts) sums[part] += usage[part];
    return { ...sums, complete: this.isKnown };
  }

  /** Whether the last answer has said of every call what it used. Calls that were not answered cost nothing. */
  get isKnown(): boolean {
    if (this.#unread > 0 || this.invalid) return false;
    return this.#lines === this.#batch.calls || this.parts.length === this.#answered;
  }

  /** Whether the last answer was that of results, and they have a line that nobody can read. Another look would not help. */
  get isUnreadable(): boolean {
    return this.#unread > 0 || this.invalid !== undefined;
  }

  /** Begins a further answer, and returns what reads it. */
  begin(): BodyReader {
    this.parts = [];
    this.error = undefined;
    this.#lines = 0;
    this.#unread = 0;
    let reader: BodyReader | undefined;
    const begun = (chunk: Uint8Array): BodyReader => (chunk[0] === GZIP ? gzipReader(this.#reader()) : this.#reader());
    return {
      push(chunk) {
        if (chunk.length > 0) reader ??= begun(chunk);
        return reader?.push(chunk);
      },
      end: () => reader?.end(),
    };
  }

  /** Reads an answer about the batch that somebody else has parsed, or a line of its results. */
  read(value: unknown): void {
    if (!isObject(value)) return;
    this.#readState(value);
    this.#readLine(value);
  }

  #reader(): BodyReader {
    const state = new JsonMembers(STATE);
    const decoder = new TextDecoder();
    let bytes = 0;
    const lines = new LineSplitter();
    const pass = (text: string): void => {
      for (const line of lines.push(text)) this.#readText(line);
      if (lines.openLength <= LONGEST_LINE) return;
      // Its end will look like a line of its own.
      this.#unread += 1;
      lines.takeOpen();
    };
    return {
      push: (chunk) => {
        bytes += chunk.length;
        if (bytes <= LONGEST_STATE) state.push(chunk);
        pass(decoder.decode(chunk, { stream: true }));
        return undefined;
      },
      end: () => {
        pass(`${decoder.decode()}\n`);
        if (bytes <= LONGEST_STATE) this.#readState(state.members);
      },
    };
  }

  /** An answer about the batch may have several lines, none of which is JSON by itself. */
  #readText(line: string): void {
    if (!line.startsWith('{') || !line.trimEnd().endsWith('}')) return;
    try {
      this.#readLine(JSON.parse(line));
    } catch {
      this.#unread += 1;
    }
  }

  #readLine(line: JsonObject): void {
    const result = this.#form.result(line);
    if (!result) return;
    this.#lines += 1;
    if (result === 'failed') return;
    const reader = createUsageReader(this.#batch.format);
    reader.read(result.answer);
    const { usage, stated, invalid } = reader;
    this.invalid ??= invalid;
    if (stated?.complete) this.parts.push(usage);
    else this.#unread += 1;
  }

  #readState(answer: JsonObject): void {
    this.error = answer.error ?? undefined;
    const state = this.#form.state(answer);
    if (!state) return;
    this.ids.add(state.id);
    if (!state.isOver) return;
    if (state.file !== undefined) this.ids.add(state.file);
    this.#answered = state.answered;
  }
}
