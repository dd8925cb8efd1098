import { writeFrame } from '../../meter/frame.js';

/** Returns one message of `application/vnd.amazon.eventstream`, with headers of text and JSON in it, or nothing. */
export function frame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  return writeFrame(headers, payload === undefined ? '' : JSON.stringify(payload));
}
