import { chat } from './chat.js';
import { completions } from './completions.js';
import type { Dialect } from './dialect.js';
import { embeddings } from './embeddings.js';
import { messages } from './messages.js';
import { responses } from './responses.js';

/** The endpoints of the fake provider, by their paths. */
export const DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  [chat, responses, completions, embeddings, messages].map((dialect) => [dialect.path, dialect]),
);
