import { LlmCallError } from '../call/call-error.js';
import type { BatchForm } from '../dialects/batches.js';
import { callAddress } from '../dialects/dialects.js';
import type { CallFormat } from '../dialects/format.js';
import { readPath } from '../dialects/read-path.js';
import { isObject, type JsonObject } from '../json-object.js';
import { LineSplitter } from '../line-splitter.js';
import { parsedBody } from './given-body.js';

/** A call as a batch states it. */
export interface BatchedCall {
  /** The body of the call, parsed. */
  readonly body: unknown;
  readonly format: CallFormat;
  /** Where it stands: `requests[2].params`, `input_file_id: line 3, body`. */
  readonly place: string;
}

/** More calls and bytes than any provider takes in one batch. */
const MOST_CALLS = 100_000;
const MOST_BYTES = 268_435_456;

/** The most characters of one line of a file. */
const LONGEST_LINE = 16_777_216;

/**
 * Returns the calls that stand in the body of a batch.
 *
 * @throws LlmCallError that names the element which is none
 */
export function* callsInBody(form: BatchForm, body: JsonObject): Generator<BatchedCall> {
  const requests = body.requests as readonly unknown[];
  checkCalls(requests.length, 'requests');
  for (const [i, element] of requests.entries())
    yield callOf(form, element, body, { place: `requests[${i}]`, sign: '.' });
}

/**
 * Returns the calls that stand in a file, one in each line. It keeps one line in memory.
 *
 * @param file - the member of the body that names the file, for errors
 * @throws LlmCallError that names the line which is none, or if the file is too long
 */
export async function* callsInFile(
  form: BatchForm,
  body: JsonObject,
  file: string,
  content: ReadableStream<Uint8Array>,
): AsyncGenerator<BatchedCall> {
  let line = 0;
  let calls = 0;
  for await (const text of linesOf(content, file)) {
    line += 1;
    if (text.trim() === '') continue;
    calls += 1;
    checkCalls(calls, file);
    const place = `${file}: line ${line}`;
    yield callOf(form, parsedLine(text, place), body, { place, sign: ', ' });
  }
  if (calls === 0) throw new LlmCallError(file, 'must name a file with at least one call', body[file]);
}

function callOf(
  form: BatchForm,
  element: unknown,
  body: JsonObject,
  { place, sign }: { readonly place: string; readonly sign: string },
): BatchedCall {
  if (!isObject(element)) throw new LlmCallError(place, 'must be an object', element);
  const { member, path } = form.statedCall(element, body);
  const format = typeof path === 'string' ? callAddress(readPath(path))?.format : undefined;
  if (format === undefined)
    throw new LlmCallError(`${place}${sign}url`, 'must be the endpoint of the batch, and that of a call', element.url);
  return { body: element[member], format, place: `${place}${sign}${member}` };
}

function checkCalls(calls: number, field: string): void {
  if (calls > MOST_CALLS) throw new LlmCallError(field, `must have at most ${MOST_CALLS} calls`, calls);
}

function parsedLine(text: string, place: string): unknown {
  try {
    return parsedBody(text);
  } catch (error) {
    throw error instanceof LlmCallError ? error.within(place) : error;
  }
}

async function* linesOf(content: ReadableStream<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const lines = new LineSplitter();
  let bytes = 0;
  // Leaving the loop cancels the rest of the file.
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new LlmCallError(file, `must name a file of at most ${MOST_BYTES} bytes`, bytes);
    yield* lines.push(decoder.decode(chunk, { stream: true }));
    const { openLength } = lines;
    if (openLength > LONGEST_LINE)
      throw new LlmCallError(file, `must have lines of at most ${LONGEST_LINE} characters`, openLength);
  }
  yield lines.takeOpen() + decoder.decode();
}
