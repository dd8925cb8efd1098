import { type Clock, type Duration, SluiceError, systemClock } from '@sluice/core';
import { checkOptions, durationMs, optionError } from '@sluice/core/values';
import type { Source, SourceText } from './source.js';
import { MOST_BYTES, sourceError, sourceText, tooLarge } from './source-text.js';
import { sleeps, within } from './waiting.js';
import { hasPassword, isSafe, shown } from './web-address.js';

/** The options of `fromHttp`. */
export interface FromHttpOptions {
  /** Header fields to send, such as `authorization`. They are not sent to another origin after a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often to ask. Default: 10 seconds. */
  readonly poll?: Duration;
  /** How long one answer may take, redirects and body included. Default: 5 seconds. */
  readonly timeout?: Duration;
  /** Default: `systemClock`. */
  readonly clock?: Clock;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Reads policies over HTTP. It asks with `If-None-Match`, so that a server with ETags sends the text only when it has changed.
 *
 * The address, and every redirect, must be `https:`, or on this machine.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example const live = await policies({ source: fromHttp('https://config.example/sluice.yaml'), store });
 */
export function fromHttp(url: string | URL, options: FromHttpOptions = {}): Source {
  checkOptions(options, ['headers', 'poll', 'timeout', 'clock']);
  const address = addressOf(String(url));
  // The message of an option shows what was given.
  if (address && hasPassword(address)) throw secretError('url', 'must not have a name and a password: use headers');
  if (!address || !isSafe(address)) {
    throw optionError('url', 'must be an https: address, or an http: address of this machine', url);
  }
  const pollMs = durationMs(options.poll ?? '10s', 'poll', 10);
  const timeoutMs = durationMs(options.timeout ?? '5s', 'timeout');
  const clock = options.clock ?? systemClock;
  const reader = new HttpReader(address, checkHeaders(options.headers ?? {}));
  return {
    async read(signal) {
      const end = new AbortController();
      const late = (): Error => sourceError(shown(address), `did not answer within ${timeoutMs} ms`);
      try {
        return await within(timeoutMs, reader.read(AbortSignal.any([signal, end.signal])), late, signal);
      } finally {
        end.abort();
      }
    },
    async *changes(signal) {
      while (await sleeps(clock, pollMs, signal)) yield;
    },
  };
}

/** Asks for the text, and keeps the last one for an answer that says "not modified". */
class HttpReader {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  #last: { readonly etag: string; readonly text: SourceText } | undefined;

  constructor(url: URL, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  async read(signal: AbortSignal): Promise<SourceText> {
    const response = await this.#follow(signal);
    if (response.status === 304 && this.#last) {
      await response.body?.cancel();
      return this.#last.text;
    }
    if (response.status !== 200) {
      await response.body?.cancel();
      throw this.#error(`answered with status ${response.status}`);
    }
    const text = sourceText(await this.#bytes(response), shown(this.#url));
    const etag = response.headers.get('etag');
    this.#last = etag === null ? undefined : { etag, text };
    return text;
  }

  async #follow(signal: AbortSignal): Promise<Response> {
    let url = this.#url;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
      const response = await this.#ask(url, signal);
      if (!REDIRECTS.includes(response.status)) return response;
      await response.body?.cancel();
      const target = addressOf(response.headers.get('location') ?? '', url.href);
      if (!target) throw this.#error('redirects to no address');
      url = target;
      // `fetch` would refuse it with an error that shows the password.
      if (hasPassword(url)) throw this.#error(`redirects to ${shown(url)} with a name and a password`);
      if (!isSafe(url)) throw this.#error(`redirects to ${shown(url)}, which is neither https: nor on this machine`);
    }
    throw this.#error(`redirects more than ${MOST_REDIRECTS} times`);
  }

  async #ask(url: URL, signal: AbortSignal): Promise<Response> {
    const own = url.origin === this.#url.origin ? this.#headers : {};
    const headers = { ...own, ...(this.#last && { 'if-none-match': this.#last.etag }) };
    try {
      return await fetch(url, { headers, redirect: 'manual', signal });
    } catch (cause) {
      throw this.#error(`cannot be read: ${reasonOf(cause)}`, cause);
    }
  }

  /** A server may say nothing about the length, or lie, so the bytes are counted. */
  async #bytes(response: Response): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of response.body ?? []) {
        length += chunk.byteLength;
        if (length > MOST_BYTES) break;
        chunks.push(chunk);
      }
    } catch (cause) {
      throw this.#error(`broke off: ${reasonOf(cause)}`, cause);
    }
    if (length > MOST_BYTES) throw tooLarge(shown(this.#url));
    return Buffer.concat(chunks);
  }

  #error(what: string, cause?: unknown): SluiceError {
    return sourceError(shown(this.#url), what, cause);
  }
}

function addressOf(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

function checkHeaders(headers: FromHttpOptions['headers']): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch {
    throw secretError('headers', 'must be names of header fields with values that a request can have');
  }
}

/** The error of an option that may be secret. */
function secretError(path: string, rule: string): SluiceError {
  return new SluiceError('SLUICE_OPTION', `${path} ${rule}`, { path });
}

/** Returns the reason of an error. `fetch` hides it in a cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return cause === undefined ? String(message ?? error) : reasonOf(cause);
}
