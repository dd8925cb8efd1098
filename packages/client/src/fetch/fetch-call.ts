import type { CallOptions } from '../call-options.js';

/** The first argument of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];

/** The second argument of a limited fetch. */
export interface LimitedRequestInit extends RequestInit {
  /** Options for the limits. They are not sent. */
  sluice?: CallOptions;
}

/** The parts of a call that decide how it is sent. */
interface FetchCall {
  /** The request without its body. */
  readonly head: Request;
  readonly signal: AbortSignal | undefined;
  /** Whether its body can be sent again. */
  readonly canRepeat: boolean;
}

/**
 * Reads the arguments of `fetch`. Nothing of the body is read.
 *
 * @throws TypeError as `fetch` does, for a wrong URL or method
 */
export function fetchCall(input: FetchInput, init: RequestInit): FetchCall {
  const request = isRequest(input) ? input : undefined;
  const headers = init.headers ?? request?.headers;
  const head = new Request(request?.url ?? (input as string | URL), {
    method: init.method ?? request?.method ?? 'GET',
    ...(headers && { headers }),
  });
  const signal = init.signal === undefined ? request?.signal : init.signal;
  return { head, signal: signal ?? undefined, canRepeat: canRepeat(init.body ?? request?.body) };
}

/** Returns options whose header fields can be read for the key, and for each time that the request is sent: an iterator is read once. */
export function withLastingFields(init: RequestInit): RequestInit {
  const { headers } = init as { readonly headers?: Partial<Iterator<[string, string]>> & Iterable<[string, string]> };
  return typeof headers?.next === 'function' ? { ...init, headers: [...headers] } : init;
}

/** Whether the input is a request, also of another copy of the class. */
function isRequest(input: FetchInput): input is Request {
  return typeof input === 'object' && 'method' in input && 'headers' in input;
}

/** Whether a body can be sent twice. A stream, an iterator and the body of a request can be read once. */
function canRepeat(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === 'string') return true;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return true;
  return body instanceof URLSearchParams || body instanceof Blob || body instanceof FormData;
}
