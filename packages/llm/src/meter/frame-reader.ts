import { isObject, type JsonObject } from '../json-object.js';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { type Frame, frameBytes, PRELUDE_BYTES, readFrame } from './frame.js';

/**
 * Reads the messages of `application/vnd.amazon.eventstream`, in which Bedrock streams. A message whose checksum is wrong ends the
 * reading: nobody knows where the next one begins.
 */
export function frameReader(usage: UsageReader): BodyReader {
  let rest: Buffer = Buffer.alloc(0);
  let isBroken = false;
  return {
    push(chunk) {
      if (isBroken) return;
      rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      while (rest.length >= PRELUDE_BYTES) {
        const bytes = frameBytes(rest.subarray(0, PRELUDE_BYTES));
        isBroken = bytes === undefined;
        if (bytes === undefined || rest.length < bytes) return;
        const frame = readFrame(rest.subarray(0, bytes));
        isBroken = frame === undefined;
        if (!frame) return;
        readMessage(frame, usage);
        rest = rest.subarray(bytes);
      }
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
