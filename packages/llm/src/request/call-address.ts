import { LlmCallError } from '../call/call-error.js';
import { type CallAddress, callAddress } from '../dialects/dialects.js';
import { FORMATS } from '../dialects/format.js';
import { readPath } from '../dialects/read-path.js';

/**
 * How the paths of requests end that run models and are no calls of text: their bodies look like calls, and cost something else. What
 * stands behind `realtime` names what is done with a session.
 */
const OTHER_WORK =
  /\/(?:images\/(?:generations|edits|variations)|audio\/(?:speech|transcriptions|translations)|(?:v1|openai)\/(?:videos|(?:messages\/)?batches|realtime(?:\/.*)?))$|(?::|%3A)(?:predict|predictLongRunning|(?:async)?batch\w+|bidi\w+)$|\/(?:async-invoke|model\/[^/]+\/invoke-with-bidirectional-stream)$/i;

/** Requests of Node and of frameworks, the context of Hono, and calls to a provider, whose dialect is known. */
interface Addressed {
  readonly call?: Partial<CallAddress>;
  readonly originalUrl?: unknown;
  readonly url?: unknown;
  readonly req?: { readonly path?: unknown };
}

/**
 * Returns what the address says that a request is sent to: the dialect, and the model where it stands there; undefined if it is not
 * that of a call. One body can be valid in two dialects.
 *
 * @throws LlmCallError if the path says that it asks for something whose tokens and price are not known: images, sound, films, a batch
 * or a session
 */
export function addressOf(request: unknown): CallAddress | undefined {
  const { originalUrl, url, req, call }: Addressed = Object(request);
  if (FORMATS.some((format) => format === call?.format)) return known(call as CallAddress);
  const address = [originalUrl, url, req?.path].find((text) => typeof text === 'string');
  if (address === undefined) return undefined;
  const path = readPath(address as string);
  const said = callAddress(path);
  if (said !== undefined || !OTHER_WORK.test(path)) return said;
  throw new LlmCallError('url', 'must be that of a call of text or of embeddings', path);
}

function known({ format, model, stream }: CallAddress): CallAddress {
  return { format, ...(model !== undefined && { model }), ...(stream !== undefined && { stream }) };
}
