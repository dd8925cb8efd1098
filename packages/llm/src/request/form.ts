import type { BodyChange } from '../call/body-change.js';
import { LlmCallError } from '../call/call-error.js';
import type { JsonObject } from '../json-object.js';

/** A form as `multipart/form-data` has it: https://www.rfc-editor.org/rfc/rfc7578 */
export interface Form {
  /** Its fields, as a JSON body would have them. A file is an object with its bytes, as `fileOf` says. */
  readonly body: JsonObject;
  readonly bytes: Uint8Array;
  readonly boundary: string;
  /** Where the values of fields stand. */
  readonly spans: ReadonlyMap<string, Span>;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** More than any call has. */
const MOST_PARTS = 128;
const MOST_HEADER_BYTES = 4096;
const MOST_FIELD_BYTES = 1_048_576;

const BOUNDARY = /^--([\w'()+,./:=? -]{1,70})\r\n/;
const DISPOSITION = /^form-data(?:\s*;\s*(?:name|filename\*?)=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s;"]+))+\s*$/i;
const PARAMETER = /;\s*(name|filename\*?)=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]+))/gi;

/** Fields whose values are numbers or booleans in JSON. */
const NUMBERS: ReadonlySet<string> = new Set(['n', 'partial_images', 'output_compression']);
const BOOLEANS: ReadonlySet<string> = new Set(['stream']);

/** Whether bytes are a form, and no JSON. */
export function isForm(bytes: Uint8Array): boolean {
  return bytes[0] === 0x2d && bytes[1] === 0x2d;
}

/**
 * Reads a form. Nothing of it is copied.
 *
 * @param contentType - the header field of the request, if it has one. Servers read the form by its boundary
 * @param fileOf - returns what a file is in the body
 * @throws LlmCallError if servers could read it in another way
 */
export function readForm(
  bytes: Uint8Array,
  contentType: string | undefined,
  fileOf: (file: Uint8Array) => JsonObject,
): Form {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [, boundary] = BOUNDARY.exec(buffer.toString('latin1', 0, 80)) ?? [];
  if (boundary === undefined) throw noForm('must begin with its boundary');
  if (contentType !== undefined && boundaryIn(contentType) !== boundary)
    throw noForm('must have the boundary that its content-type names');
  const fields = new Map<string, unknown[]>();
  const spans = new Map<string, Span>();
  for (const part of partsOf(buffer, boundary)) {
    const { name, isFile, from, to } = part;
    const value = buffer.subarray(from, to);
    if (!isFile && value.length > MOST_FIELD_BYTES)
      throw new LlmCallError(name, `must have at most ${MOST_FIELD_BYTES} bytes`, value.length);
    const values = fields.get(name) ?? [];
    if (values.length > 0 && !isFile && !name.endsWith('[]')) throw new LlmCallError(name, 'must be stated once', name);
    values.push(isFile ? fileOf(value) : jsonOf(name, value.toString('utf8')));
    fields.set(name, values);
    if (!isFile) spans.set(name, { from, to });
  }
  const body = Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
  return { body, bytes, boundary, spans };
}

/** Returns the bytes of a form with other values of some fields. Everything else stays as it is. */
export function changedForm({ bytes, boundary, spans }: Form, changes: readonly BodyChange[]): Uint8Array<ArrayBuffer> {
  const edits = changes.map(({ path, value }) => {
    const [name, ...rest] = path;
    if (rest.length > 0) throw new LlmCallError(path.join('.'), 'is not offered here', undefined);
    const span = spans.get(name);
    const written = String(value);
    if (span) return { ...span, text: written };
    return {
      from: 0,
      to: 0,
      text: `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${written}\r\n`,
    };
  });
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits.sort((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(at, from), Buffer.from(text));
    at = to;
  }
  return new Uint8Array(Buffer.concat([...parts, bytes.subarray(at)]));
}

interface Part extends Span {
  readonly name: string;
  readonly isFile: boolean;
}

function* partsOf(buffer: Buffer, boundary: string): Generator<Part> {
  const delimiter = `\r\n--${boundary}`;
  let at = boundary.length + 4;
  for (let count = 1; ; count += 1) {
    if (count > MOST_PARTS) throw noForm(`must have at most ${MOST_PARTS} parts`);
    const from = buffer.indexOf('\r\n\r\n', at) + 4;
    if (from < 4 || from - at > MOST_HEADER_BYTES) throw noForm('must have parts with headers');
    const to = buffer.indexOf(delimiter, from - 2);
    if (to < 0) throw noForm('must end with its boundary');
    yield { ...dispositionOf(buffer.toString('utf8', at, from - 4)), from, to: Math.max(from, to) };
    at = to + delimiter.length + 2;
    const end = buffer.toString('latin1', at - 2, at);
    if (end === '--') return;
    if (end !== '\r\n') throw noForm('must have a line for each boundary');
  }
}

/** What the headers of a part say. What servers could read in two ways is refused. */
function dispositionOf(headers: string): Pick<Part, 'name' | 'isFile'> {
  const lines = headers.split('\r\n').map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  const dispositions = lines.filter((line) => line?.[1]?.toLowerCase() === 'content-disposition');
  const stated = dispositions[0]?.[2] ?? '';
  const isPlain = lines.every((line) => line && line[1]?.toLowerCase() !== 'content-transfer-encoding');
  if (!isPlain || dispositions.length !== 1 || !DISPOSITION.test(stated)) throw noForm('must have parts with a name');
  const parameters = [...stated.matchAll(PARAMETER)].map(([, key = '', quoted, bare = '']) => [
    key.toLowerCase(),
    quoted?.replace(/\\(.)/g, '$1') ?? bare,
  ]);
  const names = parameters.filter(([key]) => key === 'name');
  if (names.length !== 1 || names[0]?.[1] === '') throw noForm('must have parts with one name');
  return { name: names[0]?.[1] as string, isFile: parameters.length > 1 };
}

function boundaryIn(contentType: string): string | undefined {
  const [, quoted, bare] = /^multipart\/form-data\s*;\s*boundary=(?:"([^"]+)"|([^\s;"]+))\s*$/i.exec(contentType) ?? [];
  return quoted ?? bare;
}

function jsonOf(name: string, text: string): unknown {
  if (NUMBERS.has(name) && /^\d{1,15}$/.test(text)) return Number(text);
  if (BOOLEANS.has(name) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function noForm(rule: string): LlmCallError {
  return new LlmCallError('body', rule, undefined);
}
