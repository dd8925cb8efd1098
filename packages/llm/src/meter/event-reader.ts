import { createParser } from 'eventsource-parser';
import { parsedObject } from '../json-object.js';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { chunkText } from './chunk-text.js';

/** The most characters of one event that are kept until it ends. The last event of a response has its whole answer. */
const MOST_CHARACTERS = 16_777_216;

/** Ends an event whose blank line did not arrive. */
const BLANK_LINE = '\n\n';

/** A byte below it is a character of its own in UTF-8. */
const FIRST_LONG = 0x80;

/** Reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function eventReader(usage: UsageReader): BodyReader {
  const text = new TextDecoder();
  /** Whether a character may be split between the last chunk and the next one. Before the first chunk there may be a mark. */
  let isSplit = true;
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: MOST_CHARACTERS,
    onEvent: ({ data }) => readData(data, usage),
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const feed = (part: string): void => {
    if (!isTooLong && part !== '') parser.feed(part);
  };
  return {
    push(chunk) {
      const endsSplit = (chunk[chunk.length - 1] ?? FIRST_LONG) >= FIRST_LONG;
      const isWhole = !isSplit && !endsSplit;
      isSplit = endsSplit;
      // Most chunks are whole events, and end with a line.
      const part = isWhole ? chunkText(chunk) : text.decode(chunk, { stream: true });
      feed(part);
      return isWhole ? part : undefined;
    },
    end() {
      feed(text.decode());
      feed(BLANK_LINE);
    },
  };
}

/** Data that is no JSON says nothing about tokens: `[DONE]`, or an event that broke off. */
function readData(data: string, usage: UsageReader): void {
  if (data.startsWith('{') || /^\s*\{/.test(data)) usage.read(parsedObject(data));
}
