import { converse, invoke } from './bedrock.js';
import { chat } from './chat.js';
import { completions } from './completions.js';
import type { Dialect } from './dialect.js';
import { embeddings } from './embeddings.js';
import { gemini, geminiEmbeddings } from './gemini.js';
import { images } from './images.js';
import { messages } from './messages.js';
import { responses } from './responses.js';
import { speech } from './speech.js';
import { transcriptions } from './transcriptions.js';

const DIALECTS: readonly Dialect[] = [
  chat,
  responses,
  completions,
  embeddings,
  images,
  speech,
  transcriptions,
  messages,
  gemini,
  geminiEmbeddings,
  converse,
  invoke,
];

/** Returns the endpoint of the fake provider at a path; undefined if there is none. */
export function dialectAt(path: string): Dialect | undefined {
  return DIALECTS.find((dialect) =>
    typeof dialect.path === 'string' ? dialect.path === path : dialect.path.test(path),
  );
}
