import type { JsonObject } from '../json-object.js';
import { anthropicBatches, openAiBatches } from './batches.js';
import { converse, invoke } from './bedrock.js';
import { native } from './bedrock-native.js';
import { chat } from './chat.js';
import { completions } from './completions.js';
import type { Address, Dialect } from './dialect.js';
import { embeddings } from './embeddings.js';
import type { CallFormat, Format } from './format.js';
import { gemini, geminiEmbeddings } from './gemini.js';
import { images } from './images.js';
import { messages } from './messages.js';
import { responses } from './responses.js';
import { speech } from './speech.js';
import { transcriptions } from './transcriptions.js';

/** All dialects, in the order in which a body or a path is recognized: what is special comes before what is general. */
const DIALECTS: readonly Dialect[] = [
  gemini,
  geminiEmbeddings,
  converse,
  invoke,
  native,
  messages,
  chat,
  embeddings,
  images,
  speech,
  transcriptions,
  responses,
  completions,
];

const BATCHES: readonly Dialect[] = [anthropicBatches, openAiBatches];

const BY_FORMAT: ReadonlyMap<Format, Dialect> = new Map(
  [...DIALECTS, ...BATCHES].map((dialect) => [dialect.format, dialect]),
);

/** Returns the record of a dialect. */
export function dialectOf(format: Format): Dialect {
  return BY_FORMAT.get(format) as Dialect;
}

/** Returns the dialect that a body can be of; undefined if there is none. */
export function dialectOfBody(body: JsonObject, model: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.recognizes(body, model));
}

/** The address of a call. */
export interface CallAddress extends Address {
  readonly format: CallFormat;
}

/** The address of a call, or of a batch of calls. */
export interface AnyAddress extends Address {
  readonly format: Format;
}

/** Returns what the path of a call says; undefined if it is not that of a call. See `readPath`. */
export function callAddress(path: string): CallAddress | undefined {
  return addressIn(DIALECTS, path) as CallAddress | undefined;
}

/** Returns what the path of a batch says; undefined if it is not that of one. */
export function batchAddress(path: string): AnyAddress | undefined {
  return addressIn(BATCHES, path);
}

function addressIn(dialects: readonly Dialect[], path: string): AnyAddress | undefined {
  for (const { format, address } of dialects) {
    const said = address(path);
    if (said) return { format, ...said };
  }
  return undefined;
}
