import { systemClock } from '@sluice/core';
import { readDelayMs, readNumber } from '../headers/quantities.js';
import { readRetryAfter } from '../headers/retry-after.js';

/** What only the body of an answer says. */
export interface RefusalInBody {
  /** The milliseconds that the caller has to wait. */
  readonly delayMs: number;
  /** The status that the answer should have. */
  readonly status: number;
}

const OK = 200;
const TOO_MANY_REQUESTS = 429;

/** Statuses whose body may state a time: those of `RESOURCE_EXHAUSTED` and `UNAVAILABLE`. */
const STATUSES: ReadonlySet<number> = new Set([TOO_MANY_REQUESTS, 503]);

/** The address of Shopify's GraphQL, which refuses with the status 200. */
const GRAPHQL = /\/graphql\.json(?:\?|$)/;

/** How such a refusal begins. Answers with data are not looked at any longer. */
const ERRORS = /^\s*\{\s*"errors"/;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** A longer body is not read. */
const MOST_BYTES = 65_536;

/** A body that takes longer is not waited for. */
const LONGEST_READ_MS = 1000;

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** A duration as the JSON form of Protocol Buffers writes it. */
const DURATION = /^\d{1,12}(?:\.\d{1,9})?s$/;

/**
 * Returns what the body of an answer says of a refusal, where the head states no time; undefined if it says nothing: `retryDelay` of
 * `google.rpc.RetryInfo` among the details of the error, as Gemini and other APIs of Google send it, and `throttleStatus` beside the
 * error `THROTTLED` of Shopify's GraphQL. Only short JSON is read. The caller of the response gets the same bytes.
 *
 * @see github.com/googleapis/googleapis, `google/rpc/error_details.proto`
 * @see https://shopify.dev/docs/api/usage/limits
 */
export async function refusalInBody(url: string, response: Response): Promise<RefusalInBody | undefined> {
  const { status, headers, body, bodyUsed } = response;
  const isGraphql = status === OK && GRAPHQL.test(url);
  if (!(isGraphql || STATUSES.has(status)) || !body || bodyUsed) return undefined;
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) return undefined;
  // Google compresses its answers, and then states no length.
  const length = readNumber(headers.get('content-length') ?? undefined) ?? 1;
  if (length < 1 || length > MOST_BYTES || readRetryAfter(headers) !== undefined) return undefined;
  const text = await shortText(response.clone(), isGraphql ? ERRORS : undefined);
  const parsed = text === undefined ? undefined : parsedJson(text);
  const delayMs = isGraphql ? throttledMs(parsed) : retryInfoMs(parsed);
  return delayMs === undefined ? undefined : { delayMs, status: isGraphql ? TOO_MANY_REQUESTS : status };
}

/**
 * Returns the text of a body; undefined if it is too long, which a compressed one can be, too late, or broken.
 *
 * @param begins - how its first piece has to begin
 */
async function shortText(response: Response, begins: RegExp | undefined): Promise<string | undefined> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const over = new AbortController();
  const late = systemClock.sleep(LONGEST_READ_MS, over.signal, { unref: true }).catch(() => {});
  try {
    const chunks: Uint8Array[] = [];
    for (let bytes = 0; bytes <= MOST_BYTES; ) {
      const read = await Promise.race([reader.read(), late]);
      if (!read) return undefined;
      if (read.done) return Buffer.concat(chunks).toString();
      chunks.push(read.value);
      if (begins && bytes === 0 && !begins.test(Buffer.from(read.value).toString())) return undefined;
      bytes += read.value.length;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    over.abort();
    reader.cancel().catch(() => {});
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryInfoMs(parsed: unknown): number | undefined {
  // A stream of JSON is a list.
  const [answer] = [parsed].flat() as readonly (
    | { readonly error?: { readonly details?: unknown } | null }
    | null
    | undefined
  )[];
  const details = answer?.error?.details;
  if (!Array.isArray(details)) return undefined;
  const { retryDelay } = details.find((detail) => detail?.['@type'] === RETRY_INFO) ?? {};
  return typeof retryDelay === 'string' && DURATION.test(retryDelay) ? readDelayMs(retryDelay, 0) : undefined;
}

interface ThrottledAnswer {
  readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } | null }[];
  readonly extensions?: {
    readonly cost?: {
      readonly requestedQueryCost?: unknown;
      readonly throttleStatus?: { readonly currentlyAvailable?: unknown; readonly restoreRate?: unknown } | null;
    } | null;
  } | null;
}

/** How long it takes until the points that the query asks for have come back to the bucket of the app. */
function throttledMs(parsed: unknown): number | undefined {
  const { errors, extensions } = Object(parsed) as ThrottledAnswer;
  if (!Array.isArray(errors) || !errors.some((error) => error?.extensions?.code === 'THROTTLED')) return undefined;
  const { requestedQueryCost: cost, throttleStatus } = extensions?.cost ?? {};
  const { currentlyAvailable: left, restoreRate: perSecond } = throttleStatus ?? {};
  if (typeof cost !== 'number' || typeof left !== 'number' || typeof perSecond !== 'number') return undefined;
  // Whoever refuses has not enough left.
  return readDelayMs(String(Math.max(1, Math.ceil((cost - left) / perSecond))), 0);
}
