import { systemClock } from '@sluice/core';
import { readDelayMs, readNumber } from '../headers/quantities.js';
import { readRetryAfter } from '../headers/retry-after.js';

/** Statuses whose body may state a time: those of `RESOURCE_EXHAUSTED` and `UNAVAILABLE`. */
const STATUSES: ReadonlySet<number> = new Set([429, 503]);

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** A longer body is not read. */
const MOST_BYTES = 65_536;

/** A body that takes longer is not waited for. */
const LONGEST_READ_MS = 1000;

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** A duration as the JSON form of Protocol Buffers writes it. */
const DURATION = /^\d{1,12}(?:\.\d{1,9})?s$/;

/**
 * Returns the milliseconds that the body of a refusal wants the caller to wait, where the head states no time: `retryDelay` of
 * `google.rpc.RetryInfo` among the details of the error, as Gemini and other APIs of Google send it. Undefined if it states none.
 * Only short JSON is read. The caller of the response gets the same bytes.
 *
 * @see github.com/googleapis/googleapis, `google/rpc/error_details.proto`
 */
export async function retryInfoMs(response: Response): Promise<number | undefined> {
  const { status, headers, body, bodyUsed } = response;
  if (!STATUSES.has(status) || !body || bodyUsed || !JSON_TYPE.test(headers.get('content-type') ?? ''))
    return undefined;
  // Google compresses its answers, and then states no length.
  const length = readNumber(headers.get('content-length') ?? undefined) ?? 1;
  if (length < 1 || length > MOST_BYTES || readRetryAfter(headers) !== undefined) return undefined;
  const text = await shortText(response.clone());
  return text === undefined ? undefined : delayOf(text);
}

/** Returns the text of a body; undefined if it is too long, which a compressed one can be, too late, or broken. */
async function shortText(response: Response): Promise<string | undefined> {
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

function delayOf(text: string): number | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    // A stream of JSON is a list.
    const [answer] = [parsed].flat() as readonly { readonly error?: { readonly details?: unknown } }[];
    const details = answer?.error?.details;
    if (!Array.isArray(details)) return undefined;
    const { retryDelay } = details.find((detail) => detail?.['@type'] === RETRY_INFO) ?? {};
    return typeof retryDelay === 'string' && DURATION.test(retryDelay) ? readDelayMs(retryDelay, 0) : undefined;
  } catch {
    return undefined;
  }
}
