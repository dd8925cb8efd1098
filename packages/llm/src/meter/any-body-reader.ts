import type { UsageReader } from '../usage/usage-reader.js';
import type { BodyReader } from './body-reader.js';
import { eventReader } from './event-reader.js';
import { frameReader } from './frame-reader.js';
import { gzipReader } from './gzip-reader.js';
import { jsonListReader } from './json-list-reader.js';
import { JsonMembers } from './json-members.js';

const BEFORE_TEXT: ReadonlySet<number> = new Set([
  // White space.
  0x09, 0x0a, 0x0d, 0x20,
  // A byte order mark.
  0xef, 0xbb, 0xbf,
]);

const GZIP = 0x1f;
/** A message of Amazon's event streams begins with its length, which is far below 16 MB. */
const FRAME = 0x00;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/**
 * Returns a reader that tells JSON, server-sent events, Amazon's event streams and gzip apart by the first byte. Header fields do not help
 * everywhere: `fetch` decodes a body and keeps its `content-encoding`, and a call for a stream can get a JSON answer.
 */
export function anyBodyReader(usage: UsageReader): BodyReader {
  let reader: BodyReader | undefined;
  return {
    push(chunk) {
      reader ??= readerFor(
        chunk.find((byte) => !BEFORE_TEXT.has(byte)),
        usage,
      );
      return reader?.push(chunk);
    },
    end: () => reader?.end(),
  };
}

function readerFor(first: number | undefined, usage: UsageReader): BodyReader | undefined {
  if (first === undefined) return undefined;
  if (first === GZIP) return gzipReader(anyBodyReader(usage));
  if (first === FRAME) return frameReader(usage);
  if (first === BRACKET) return jsonListReader(usage);
  return first === BRACE ? jsonReader(usage) : eventReader(usage);
}

/** The members of an answer that say what it cost, and what kind of answer it is. */
const MEMBERS = [
  'usage',
  'totalUsage',
  'x_groq',
  'usageMetadata',
  'promptFeedback',
  'stopReason',
  'type',
  'object',
  'status',
  'error',
  'service_tier',
  'serviceTier',
  'id',
  'output',
] as const;

function jsonReader(usage: UsageReader): BodyReader {
  const answer = new JsonMembers(MEMBERS);
  return {
    push(chunk) {
      answer.push(chunk);
      return undefined;
    },
    end: () => usage.read(answer.members),
  };
}
