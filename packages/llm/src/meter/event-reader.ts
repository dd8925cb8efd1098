import { createParser } from 'eventsource-parser';
import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';

/** The most characters of one event that are kept until it ends. The last event of a response has its whole answer. */
const MOST_CHARACTERS = 16_777_216;

/** Ends an event whose blank line did not arrive. */
const BLANK_LINE = '\n\n';

/** Reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function eventReader(usage: UsageReader): BodyReader {
  const text = new TextDecoder();
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
    push: (chunk) => feed(text.decode(chunk, { stream: true })),
    end() {
      feed(text.decode());
      feed(BLANK_LINE);
    },
  };
}

/** Data that is no JSON says nothing about tokens: `[DONE]`, or an event that broke off. */
function readData(data: string, usage: UsageReader): void {
  if (!/^\s*\{/.test(data)) return;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return;
  }
  usage.read(value);
}
