import { crc32 } from 'node:zlib';

/**
 * Returns one message of `application/vnd.amazon.eventstream`, with headers of text and JSON in it, or nothing. By
 * https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html
 */
export function frame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload === undefined ? '' : JSON.stringify(payload));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(12 + head.length + body.length + 4, 0);
  lengths.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([lengths, checksum(lengths), head, body]);
  return Buffer.concat([message, checksum(message)]);
}

/** The type 7 says that the value is text. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
