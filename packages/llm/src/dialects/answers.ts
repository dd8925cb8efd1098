import type { JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import { aiSdk } from './ai-sdk.js';
import { converse } from './bedrock.js';
import { native } from './bedrock-native.js';
import { chat, statementOfChoices } from './chat.js';
import { Counts, type InvalidUsage } from './counts.js';
import type { AnswerProgress, Dialect, Say, UsageStatement } from './dialect.js';
import { dialectOf } from './dialects.js';
import type { Format } from './format.js';
import { gemini } from './gemini.js';
import { images } from './images.js';
import { messages } from './messages.js';
import { responses } from './responses.js';
import { speech } from './speech.js';

/** What reads the events of an answer. */
export interface AnswerForms {
  /** Returns what an event or a whole answer says of the usage; undefined if it says nothing. */
  statementOf(event: JsonObject, progress: AnswerProgress): UsageStatement | undefined;
  /** Says each text of output that an event carries. */
  readOutput(event: JsonObject, say: Say): void;
}

/** What says something of a usage. Anything with a member `usage` is read like the end of a chat, so that comes last. */
const STATING: readonly Pick<Dialect, 'statement'>[] = [
  gemini,
  converse,
  messages,
  responses,
  chat,
  aiSdk,
  { statement: statementOfChoices },
];

const SPEAKING: readonly Pick<Dialect, 'readOutput'>[] = [responses, messages, chat, gemini, converse];

/**
 * Returns what reads answers of a dialect. Its own form is tried first, since this runs for each chunk of a stream; then those of all
 * others, because an answer may come through a library.
 */
export function answerForms(format: Format | undefined): AnswerForms {
  const own = format === undefined ? [] : [dialectOf(format)];
  const stating = [...own, ...STATING];
  const speaking = [...own, ...SPEAKING];
  return {
    statementOf(event, progress) {
      for (const form of stating) {
        const said = form.statement(event, progress);
        if (said) return said;
      }
      return undefined;
    },
    readOutput(event, say) {
      for (const form of speaking) if (form.readOutput(event, say)) return;
    },
  };
}

/** What knows a form of usage. The names of their fields differ. */
const COUNTING: readonly (Pick<Dialect, 'usage'> & Partial<Dialect>)[] = [
  images,
  speech,
  chat,
  gemini,
  converse,
  native,
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
