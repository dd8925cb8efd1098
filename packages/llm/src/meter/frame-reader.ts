import { crc32 } from 'node:zlib';
import { isObject, type JsonObject } from '../json-object.js';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';

/** The two lengths, and their checksum. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** The most bytes of one message. */
const MOST_BYTES = 16_777_216;

/** The type of a header whose value is text, with two bytes for its length. */
const TEXT_HEADER = 7;

/**
 * Reads the messages of `application/vnd.amazon.eventstream`, in which Bedrock streams. A message whose checksum is wrong ends the
 * reading: nobody knows where the next one begins.
 *
 * @see https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html
 */
export function frameReader(usage: UsageReader): BodyReader {
  let rest: Buffer = Buffer.alloc(0);
  let isBroken = false;
  return {
    push(chunk) {
      if (isBroken) return;
      rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      while (rest.length >= PRELUDE_BYTES) {
        const bytes = rest.readUInt32BE(0);
        isBroken = !isPrelude(rest, bytes);
        if (isBroken || rest.length < bytes) return;
        const message = rest.subarray(0, bytes);
        isBroken = !hasChecksum(message, bytes - CHECKSUM_BYTES);
        if (isBroken) return;
        readMessage(message, usage);
        rest = rest.subarray(bytes);
      }
    },
    end() {},
  };
}

function isPrelude(bytes: Buffer, length: number): boolean {
  const headers = bytes.readUInt32BE(4);
  const isPossible = length <= MOST_BYTES && length >= PRELUDE_BYTES + headers + CHECKSUM_BYTES;
  return isPossible && hasChecksum(bytes, PRELUDE_BYTES - CHECKSUM_BYTES);
}

function hasChecksum(bytes: Buffer, at: number): boolean {
  return crc32(bytes.subarray(0, at)) === bytes.readUInt32BE(at);
}

function readMessage(message: Buffer, usage: UsageReader): void {
  const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
  const headers = textHeaders(message.subarray(PRELUDE_BYTES, headersEnd));
  const payload = parsed(message.subarray(headersEnd, message.length - CHECKSUM_BYTES).toString('utf8'));
  const type = headers[':event-type'];
  const error = headers[':exception-type'] ?? headers[':error-code'];
  if (error !== undefined) usage.read({ error: { message: headers[':error-message'], ...payload, type: error } });
  else if (typeof payload?.bytes === 'string')
    usage.read(parsed(Buffer.from(payload.bytes, 'base64').toString('utf8')));
  else if (type !== undefined && payload) usage.read({ [type]: payload });
}

/** Returns the headers whose value is text. Bedrock has no others. */
function textHeaders(bytes: Buffer): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + (bytes[at] as number);
    if (bytes[nameEnd] !== TEXT_HEADER || nameEnd + 3 > bytes.length) break;
    const end = nameEnd + 3 + bytes.readUInt16BE(nameEnd + 1);
    headers[bytes.toString('utf8', at + 1, nameEnd)] = bytes.toString('utf8', nameEnd + 3, end);
    at = end;
  }
  return headers;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
