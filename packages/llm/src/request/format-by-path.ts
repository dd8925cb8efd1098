import { LlmCallError } from '../call/call-error.js';
import { FORMATS, type Format } from '../call/llm-call.js';

/** How the paths of model APIs end. `/chat/completions` also ends in `/completions`, so it comes first. */
const ENDINGS: readonly (readonly [ending: string, format: Format])[] = [
  ['/chat/completions', 'openai-chat'],
  ['/completions', 'openai-completions'],
  ['/responses', 'openai-responses'],
  ['/embeddings', 'openai-embeddings'],
  ['/messages', 'anthropic-messages'],
];

/**
 * How the paths of requests end that run models and are no calls of text: their bodies look like calls, and cost something else. What
 * stands behind `realtime` names what is done with a session.
 */
const OTHER_WORK =
  /\/(?:images\/(?:generations|edits|variations)|audio\/(?:speech|transcriptions|translations)|v1\/(?:videos|(?:messages\/)?batches|realtime(?:\/.*)?))$/;

/** Requests of Node and of frameworks, the context of Hono, and calls to a provider, whose dialect is known. */
interface Addressed {
  readonly call?: { readonly format?: unknown };
  readonly originalUrl?: unknown;
  readonly url?: unknown;
  readonly req?: { readonly path?: unknown };
}

/**
 * Returns the dialect of the route that a request is sent to; undefined if its path does not say. One body can be valid in two
 * dialects.
 *
 * @throws LlmCallError if the path says that it asks for something whose tokens and price are not known: images, sound, films, a batch
 * or a session
 */
export function formatByPath(request: unknown): Format | undefined {
  const { originalUrl, url, req, call }: Addressed = Object(request);
  const known = FORMATS.find((format) => format === call?.format);
  if (known !== undefined) return known;
  const address = [originalUrl, url, req?.path].find((text) => typeof text === 'string');
  if (address === undefined) return undefined;
  const path = plainPath((address as string).replace(/[?#].*$/s, ''));
  const format = formatOfPath(path);
  if (format !== undefined || !OTHER_WORK.test(path)) return format;
  throw new LlmCallError('url', 'must be that of a call of text or of embeddings', path);
}

/** Returns the dialect of a plain path; undefined if it is not known. */
export function formatOfPath(path: string): Format | undefined {
  // The threads of OpenAI's assistants have messages, too, which are no calls.
  if (/\/threads\/[^/]*\/messages$/.test(path)) return undefined;
  return ENDINGS.find(([ending]) => path.endsWith(ending))?.[1];
}

/**
 * Returns a path without its query as servers compare it: Express takes `/V1/Messages` for `/v1/messages`, Fastify `/v1/message%73`, and
 * others `/v1//messages/`.
 */
export function plainPath(path: string): string {
  return decoded(path)
    .toLowerCase()
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
