import type { LlmCall } from '../call/llm-call.js';

/**
 * One HTTP exchange with a client: a fetch `Request` (Hono: `c.req.raw`), or the request and the response of Node, Express,
 * Fastify or Nest. The context of Koa has both: `llm.relay(ctx, send)`.
 */
export type Exchange = Request | NodeExchange;

/** The request and the response that a framework passes to its handlers. Fastify's own objects count, too. */
export interface NodeExchange {
  /** The request of Node, or that of the framework. */
  readonly req: object;
  /** The response of Node, or that of the framework. */
  readonly res: object;
}

/**
 * Sends a call to the provider. If it rejects, the client gets the status 502, or 504 for a `TimeoutError`. The call is charged nothing
 * if the error, or one of its causes, says that it was not sent: a refused connection, an unknown name, TLS that failed, or a client of
 * Sluice that kept it back. Any other error says that the provider may have worked, so the call is charged as one without an answer.
 *
 * @param body - the JSON to send: the caller's, with what the relay has to change
 * @param signal - aborts when the client leaves, and when the call has made no progress for `maxHold`
 * @param call - the call as it is sent: its model is the one that was reserved
 */
export type Send = (body: string, signal: AbortSignal, call: LlmCall) => Promise<Response>;

/** Bytes in memory of their own, which `fetch` takes. Compilers before TypeScript 5.7 have no name for them. */
type OwnBytes = ReturnType<typeof Uint8Array.of>;

/**
 * The same for bodies that may be forms with files.
 *
 * @param body - the bytes to send, with the content-type of the caller: its form, or its JSON
 */
export type SendForm = (body: OwnBytes, signal: AbortSignal, call: LlmCall) => Promise<Response>;
