import type { JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import { aiSdk } from './ai-sdk.js';
import { converse } from './bedrock.js';
import { chat } from './chat.js';
import { Counts, type InvalidUsage } from './counts.js';
import type { AnswerProgress, Dialect, UsageStatement } from './dialect.js';
import type { Format } from './format.js';
import { gemini, geminiEmbeddings } from './gemini.js';
import { messages } from './messages.js';
import { responses } from './responses.js';

/** What says something of a usage. Anything with a member `usage` is read like a chat, so that comes last. */
const STATING: readonly Pick<Dialect, 'statement'>[] = [gemini, converse, messages, responses, aiSdk, chat];

/** Returns what an event or a whole answer of any dialect says of the usage; undefined if it says nothing. */
export function statementOf(
  event: JsonObject,
  progress: AnswerProgress,
  format: Format | undefined,
): UsageStatement | undefined {
  const forms = format === 'gemini-embed' ? [geminiEmbeddings, ...STATING] : STATING;
  for (const { statement } of forms) {
    const said = statement(event, progress);
    if (said) return said;
  }
  return undefined;
}

/** What knows a form of usage. The names of their fields differ. */
const COUNTING: readonly (Pick<Dialect, 'usage'> & Partial<Dialect>)[] = [
  chat,
  gemini,
  converse,
  aiSdk,
  responses,
  messages,
];

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

const SPEAKING: readonly Pick<Dialect, 'outputTexts'>[] = [responses, messages, chat, gemini, converse];

/** Returns the texts of output that an event of a stream carries, in any dialect. */
export function outputTextsOf(event: JsonObject): readonly string[] {
  for (const { outputTexts } of SPEAKING) {
    const texts = outputTexts(event);
    if (texts) return texts;
  }
  return [];
}
