import type { Readable } from 'node:stream';
import { type ClientOptions, limitedFetch } from '@sluice/client';
import { limitInterceptor } from '@sluice/client/undici';
import { Agent as Agent7, request as request7 } from 'undici';
import { Agent as Agent6, request as request6 } from 'undici6';

/** What a caller sends. */
export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly headers?: Record<string, string>;
  readonly body?: string | Readable;
  readonly signal?: AbortSignal;
  readonly sluice?: { maxWait?: string };
}

/** What a caller gets. */
export interface Received {
  readonly status: number;
  readonly contentType: string | undefined;
  text(): Promise<string>;
  /** Ends the answer unread. */
  cancel(): void;
}

/** A client with its way of sending. */
export interface Sender {
  send(url: string, call?: Call): Promise<Received>;
  close(): Promise<void>;
}

/** A way to send requests within limits. */
export interface Transport {
  readonly name: string;
  open(options: ClientOptions): Sender;
}

/** All ways of sending. They have one behaviour. */
export const TRANSPORTS: readonly Transport[] = [
  { name: 'limitedFetch', open: overFetch },
  { name: 'the interceptor in undici 7', open: overUndici7 },
  { name: 'the interceptor in undici 6', open: overUndici6 },
];

function overFetch(options: ClientOptions): Sender {
  const send = limitedFetch(options);
  return {
    send: async (url, call = {}) => ofFetch(await send(url, { ...call, ...streaming(call) } as RequestInit)),
    close: async () => {},
  };
}

function overUndici7(options: ClientOptions): Sender {
  const dispatcher = new Agent7().compose(limitInterceptor(options));
  return {
    send: async (url, call = {}) => ofUndici(await request7(url, { ...call, dispatcher } as never)),
    close: () => dispatcher.close(),
  };
}

function overUndici6(options: ClientOptions): Sender {
  const dispatcher = new Agent6().compose(limitInterceptor(options) as never);
  return {
    send: async (url, call = {}) => ofUndici(await request6(url, { ...call, dispatcher } as never)),
    close: () => dispatcher.close(),
  };
}

function streaming({ body }: Call): object {
  return typeof body === 'object' ? { duplex: 'half' } : {};
}

function ofFetch(response: Response): Received {
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? undefined,
    text: () => response.text(),
    cancel: () => void response.body?.cancel(),
  };
}

type UndiciAnswer = Awaited<ReturnType<typeof request7>> | Awaited<ReturnType<typeof request6>>;

function ofUndici({ statusCode, headers, body }: UndiciAnswer): Received {
  return {
    status: statusCode,
    contentType: headers['content-type']?.toString(),
    text: () => body.text(),
    cancel: () => void body.on('error', () => {}).destroy(),
  };
}
