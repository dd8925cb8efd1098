import { LlmCallError } from '../call/call-error.js';
import { type AnyAddress, batchAddress, type CallAddress, callAddress } from '../dialects/dialects.js';
import { FORMATS } from '../dialects/format.js';
import { readPath } from '../dialects/read-path.js';

/**
 * How the paths of requests end that run models and are no calls: their bodies may look like calls, and cost something else. What stands
 * behind `realtime` names what is done with a session.
 */
const OTHER_WORK: readonly (readonly [path: RegExp, what: string])[] = [
  [/\/(?:images\/variations|audio\/translations)$/i, 'a form whose answer states no usage'],
  [/(?::|%3A)(?:async)?batch\w+$|\/async-invoke$/i, 'a batch of a kind that is not read here'],
  [
    /\/(?:v1|openai)\/realtime(?:\/.*)?$|(?::|%3A)bidi\w+$|\/model\/[^/]+\/invoke-with-bidirectional-stream$/i,
    'a session, which has no end',
  ],
  [/\/(?:v1|openai)\/videos$|(?::|%3A)(?:predict|predictLongRunning)$/i, 'work whose price is not known here'],
];

/** Requests of Node and of frameworks, the context of Hono, and calls to a provider, whose dialect is known. */
interface Addressed {
  readonly call?: Partial<CallAddress>;
  readonly originalUrl?: unknown;
  readonly url?: unknown;
  readonly req?: { readonly path?: unknown };
}

/**
 * Returns what the address says that a request is sent to: the dialect, and the model where it stands there; undefined if it is not
 * that of a call or of a batch of calls. One body can be valid in two dialects.
 *
 * @throws LlmCallError if the path says that it asks for something whose tokens and price are not known: a form with files, films or a
 * session
 */
export function addressOf(request: unknown): AnyAddress | undefined {
  const { originalUrl, url, req, call }: Addressed = Object(request);
  if (FORMATS.some((format) => format === call?.format)) return known(call as CallAddress);
  const address = [originalUrl, url, req?.path].find((text) => typeof text === 'string');
  if (address === undefined) return undefined;
  const path = readPath(address as string);
  const said = callAddress(path) ?? batchAddress(path);
  const other = said === undefined ? OTHER_WORK.find(([pattern]) => pattern.test(path)) : undefined;
  if (!other) return said;
  throw new LlmCallError('url', `must be that of a call, and is that of ${other[1]}`, path);
}

function known({ format, model, stream }: CallAddress): CallAddress {
  return { format, ...(model !== undefined && { model }), ...(stream !== undefined && { stream }) };
}
