import type { Format } from '../call/llm-call.js';

/** How the paths of model APIs end. `/chat/completions` also ends in `/completions`, so it comes first. */
const ENDINGS: readonly (readonly [ending: string, format: Format])[] = [
  ['/chat/completions', 'openai-chat'],
  ['/completions', 'openai-completions'],
  ['/responses', 'openai-responses'],
  ['/embeddings', 'openai-embeddings'],
  ['/messages', 'anthropic-messages'],
];

/** Requests of Node and of frameworks, and the context of Hono. */
interface Addressed {
  readonly originalUrl?: unknown;
  readonly url?: unknown;
  readonly req?: { readonly path?: unknown };
}

/**
 * Returns the dialect of the route that a request is sent to; undefined if its path does not say. One body can be valid in two
 * dialects.
 */
export function formatByPath(request: unknown): Format | undefined {
  const { originalUrl, url, req }: Addressed = Object(request);
  const address = [originalUrl, url, req?.path].find((text) => typeof text === 'string');
  if (address === undefined) return undefined;
  return formatOfPath(plainPath((address as string).replace(/[?#].*$/s, '')));
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
