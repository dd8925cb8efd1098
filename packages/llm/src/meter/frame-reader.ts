import { isObject, type JsonObject } from '../json-object.js';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { type Frame, frameBytes, PRELUDE_BYTES, readFrame } from './frame.js';

/**
 * Reads the messages of `application/vnd.amazon.eventstream`, in which Bedrock streams. A message whose checksum is wrong ends the
 * reading: nobody knows where the next one begins.
 */
export function frameReader(usage: UsageReader): BodyReader {
  let parts: Uint8Array[] = [];
  let size = 0;
  /** So many bytes have to be there before there is anything new to read. */
  let needed = PRELUDE_BYTES;
  let isBroken = false;
  /** Reads the messages that are whole, and returns the rest. */
  const readWhole = (all: Buffer): Buffer => {
    for (let rest = all; ; ) {
      needed = PRELUDE_BYTES;
      if (rest.length < needed) return rest;
      const bytes = frameBytes(rest.subarray(0, PRELUDE_BYTES));
      if (bytes !== undefined) needed = bytes;
      if (rest.length < needed) return rest;
      const frame = bytes === undefined ? undefined : readFrame(rest.subarray(0, bytes));
      isBroken = frame === undefined;
      if (!frame) return rest;
      readMessage(frame, usage);
      rest = rest.subarray(bytes);
    }
  };
  return {
    push(chunk) {
      if (isBroken) return;
      // Whoever gets the chunk next may change it.
      parts.push(Buffer.from(chunk));
      size += chunk.length;
      if (size < needed) return;
      const rest = readWhole(Buffer.concat(parts));
      parts = [rest];
      size = rest.length;
    },
    end() {},
  };
}

function readMessage({ headers, payload: bytes }: Frame, usage: UsageReader): void {
  const payload = parsed(bytes.toString('utf8'));
  const type = headers[':event-type'];
  const error = headers[':exception-type'] ?? headers[':error-code'];
  if (error !== undefined) usage.read({ error: { message: headers[':error-message'], ...payload, type: error } });
  else if (typeof payload?.bytes === 'string')
    usage.read(parsed(Buffer.from(payload.bytes, 'base64').toString('utf8')));
  else if (type !== undefined && payload) usage.read({ [type]: payload });
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
