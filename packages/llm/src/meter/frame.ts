import { crc32 } from 'node:zlib';

/**
 * Messages of `application/vnd.amazon.eventstream`, in which Bedrock streams.
 *
 * @see https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html
 */
export interface Frame {
  /** The headers whose value is text. Bedrock has no others. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** The two lengths, and their checksum. */
export const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** The most bytes of one message. */
const MOST_BYTES = 16_777_216;

/** The type of a header whose value is text, with two bytes for its length. */
const TEXT_HEADER = 7;

/** Returns how many bytes a message has that begins here; undefined if none can begin so. */
export function frameBytes(prelude: Buffer): number | undefined {
  const [bytes, headers] = [prelude.readUInt32BE(0), prelude.readUInt32BE(4)];
  const isPossible = bytes <= MOST_BYTES && bytes >= PRELUDE_BYTES + headers + CHECKSUM_BYTES;
  return isPossible && hasChecksum(prelude, PRELUDE_BYTES - CHECKSUM_BYTES) ? bytes : undefined;
}

/** Reads a whole message; undefined if its checksum is wrong. */
export function readFrame(message: Buffer): Frame | undefined {
  if (!hasChecksum(message, message.length - CHECKSUM_BYTES)) return undefined;
  const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
  return {
    headers: textHeaders(message.subarray(PRELUDE_BYTES, headersEnd)),
    payload: message.subarray(headersEnd, message.length - CHECKSUM_BYTES),
  };
}

/** Writes a message with headers of text. */
export function writeFrame(headers: Frame['headers'], payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)));
  const body = Buffer.from(payload);
  const lengths = Buffer.alloc(PRELUDE_BYTES - CHECKSUM_BYTES);
  lengths.writeUInt32BE(PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES, 0);
  lengths.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([lengths, checksumOf(lengths), head, body]);
  return Buffer.concat([message, checksumOf(message)]);
}

function hasChecksum(bytes: Buffer, at: number): boolean {
  return crc32(bytes.subarray(0, at)) === bytes.readUInt32BE(at);
}

function checksumOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

function textHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([TEXT_HEADER]),
    length,
    Buffer.from(value),
  ]);
}

function textHeaders(bytes: Buffer): Frame['headers'] {
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
