import { parsedObject } from '../json-object.js';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { type Frame, readFrame } from './frame.js';
import { frameEnds } from './piece-ends.js';
import { pieceReader } from './piece-reader.js';

/**
 * Reads the messages of `application/vnd.amazon.eventstream`, in which Bedrock streams. A message whose checksum is wrong ends the
 * reading: nobody knows where the next one begins.
 */
export function frameReader(usage: UsageReader): BodyReader {
  let isBroken = false;
  return pieceReader(frameEnds(), (piece) => {
    const frame = isBroken ? undefined : readFrame(piece);
    if (frame) readMessage(frame, usage);
    else isBroken = true;
  });
}

function readMessage({ headers, payload: bytes }: Frame, usage: UsageReader): void {
  const payload = parsedObject(bytes.toString('utf8'));
  const type = headers[':event-type'];
  const error = headers[':exception-type'] ?? headers[':error-code'];
  if (error !== undefined) usage.read({ error: { message: headers[':error-message'], ...payload, type: error } });
  else if (typeof payload?.bytes === 'string')
    usage.read(parsedObject(Buffer.from(payload.bytes, 'base64').toString('utf8')));
  else if (type !== undefined && payload) usage.read({ [type]: payload });
}
