import type { JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import { aiSdk } from './ai-sdk.js';
import { anthropic } from './anthropic.js';
import { bedrock } from './bedrock.js';
import { chat } from './chat.js';
import { completions } from './completions.js';
import { Counts, type InvalidUsage } from './counts.js';
import type { Address, AnswerProgress, Dialect, UsageStatement } from './dialect.js';
import { embeddings } from './embeddings.js';
import type { Format } from './format.js';
import { messages } from './messages.js';
import { openAi } from './openai.js';
import { responses } from './responses.js';
import type { Vendor, VendorName } from './vendor.js';

/** All dialects, in the order in which a body or a path is recognized: what is special comes before what is general. */
const DIALECTS: readonly Dialect[] = [messages, chat, embeddings, responses, completions];

const BY_FORMAT: ReadonlyMap<Format, Dialect> = new Map(DIALECTS.map((dialect) => [dialect.format, dialect]));

/** Returns the record of a dialect. */
export function dialectOf(format: Format): Dialect {
  return BY_FORMAT.get(format) as Dialect;
}

const VENDORS: Readonly<Record<VendorName, Vendor>> = { openai: openAi, anthropic };

/** Returns the record of a vendor. */
export function vendorOf(name: VendorName): Vendor {
  return VENDORS[name];
}

/** Returns the dialect that a body can be of; undefined if there is none. */
export function dialectOfBody(body: JsonObject, model: string): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.recognizes(body, model));
}

/** The address of a call. */
export interface CallAddress extends Address {
  readonly format: Format;
}

/** Returns what the path of a call says; undefined if it is not that of a call. See `readPath`. */
export function callAddress(path: string): CallAddress | undefined {
  for (const { format, address } of DIALECTS) {
    const said = address(path);
    if (said) return { format, ...said };
  }
  return undefined;
}

/** What says something of a usage. Anything with a member `usage` is read like a chat, so that comes last. */
const STATING: readonly Pick<Dialect, 'statement'>[] = [messages, responses, aiSdk, chat];

/** Returns what an event or a whole answer of any dialect says of the usage; undefined if it says nothing. */
export function statementOf(event: JsonObject, progress: AnswerProgress): UsageStatement | undefined {
  for (const { statement } of STATING) {
    const said = statement(event, progress);
    if (said) return said;
  }
  return undefined;
}

/** What knows a form of usage. The names of their fields differ. */
const COUNTING: readonly (Pick<Dialect, 'usage'> & Partial<Dialect>)[] = [chat, bedrock, aiSdk, responses, messages];

/** A provider's usage with one meaning; the field that makes no sense; or undefined if it states no tokens. */
type ReadUsage = { readonly usage: Usage } | { readonly invalid: InvalidUsage } | undefined;

/**
 * Reads the usage of an answer. The names of its fields say which form it has.
 *
 * @param format - the dialect of the answer, if it is known
 */
export function usageOf(stated: JsonObject, format: Format | undefined): ReadUsage {
  const counts = new Counts(stated);
  for (const form of COUNTING) {
    const usage = form.usage(counts, stated, format !== undefined && form.format === format);
    if (counts.invalid) return { invalid: counts.invalid };
    if (usage) return { usage };
  }
  return undefined;
}

const SPEAKING: readonly Pick<Dialect, 'outputTexts'>[] = [responses, messages, chat];

/** Returns the texts of output that an event of a stream carries, in any dialect. */
export function outputTextsOf(event: JsonObject): readonly string[] {
  for (const { outputTexts } of SPEAKING) {
    const texts = outputTexts(event);
    if (texts) return texts;
  }
  return [];
}
