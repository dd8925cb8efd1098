import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@sluice/core';
import { checkOptions, clockOf, optionError, reasonOf } from '@sluice/core/values';
import { KeptText, type TextSource } from './kept-text.js';

/** Options of `metricsHandler`. */
export interface MetricsHandlerOptions {
  /** The clock by which a text is kept for a second. Default: `systemClock`. */
  clock?: Clock;
}

/** The reply of Fastify: the parts that the handler uses. */
export interface MetricsReply {
  /** The response of Node beneath. */
  readonly raw: ServerResponse;
  /** Sets a header field. */
  header(name: string, value: string): unknown;
}

/** The context of Koa: the parts that the handler uses. */
export interface MetricsContext {
  /** The response of Node beneath. */
  readonly res: ServerResponse;
  /** The status of the response. */
  status: number;
  /** What Koa sends. */
  body: unknown;
  /** Sets a header field. */
  set(name: string, value: string): unknown;
}

/** Answers a request with the metrics, in whichever framework it is called. */
export interface MetricsHandler {
  /** `node:http`, Express, and Nest over Express: writes the response. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): Promise<void>;
  /** Fastify, and Nest over Fastify: sets the content type, and returns the text. */
  (request: object, reply: MetricsReply): Promise<string>;
  /** Koa: sets the body. */
  (context: MetricsContext, next?: unknown): Promise<void>;
  /** Hono, and everything that answers with a `Response`. */
  (context?: unknown, next?: unknown): Promise<Response>;
}

/**
 * Returns a handler that shows the metrics of a registry to Prometheus. A text is shown again for one second, so it is
 * made at most once a second however many ask.
 *
 * The text names your policies and their limits. Show it on a port or a path that only your Prometheus can reach.
 *
 * If a metric cannot be read, Express and the other frameworks handle the error as they handle every error of a handler;
 * `node:http` alone gets status 500 and the message.
 *
 * @param source - a registry of prom-client or `@prometheus-io/client`. For the workers of a cluster, give
 *   `{ contentType: registry.contentType, metrics: () => registry.clusterMetrics() }`.
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * http.createServer(metricsHandler(client.register)).listen(9464);
 * app.get('/metrics', metricsHandler(client.register)); // Express, Fastify, Hono, a router of Koa
 */
export function metricsHandler(source: TextSource, options: MetricsHandlerOptions = {}): MetricsHandler {
  if (typeof Object(source).metrics !== 'function') {
    throw optionError('registry', 'must have metrics(), like the registry of prom-client', source);
  }
  checkOptions(options, ['clock']);
  const text = new KeptText(source, clockOf(options.clock));
  // One function serves all frameworks: they are told apart by what they pass.
  return ((request: unknown, response?: object, next?: (error?: unknown) => void) => {
    if (isNode(response)) return write(source, text, response, next);
    if (isReply(response)) return reply(source, text, response);
    if (isKoa(request)) return show(source, text, request);
    return respond(source, text);
  }) as MetricsHandler;
}

function isNode(response: object | undefined): response is ServerResponse {
  return response !== undefined && 'setHeader' in response;
}

function isReply(response: object | undefined): response is MetricsReply {
  return response !== undefined && 'raw' in response && 'header' in response;
}

/** Hono has no `response`, and would make a `res` if it were asked for one. */
function isKoa(context: unknown): context is MetricsContext {
  return (
    typeof context === 'object' &&
    context !== null &&
    'response' in context &&
    isNode((context as Partial<MetricsContext>).res)
  );
}

async function write(
  { contentType }: TextSource,
  text: KeptText,
  response: ServerResponse,
  next: ((error?: unknown) => void) | undefined,
): Promise<void> {
  try {
    const body = await text.read();
    // Somebody else has answered meanwhile, for example because it took too long.
    if (response.headersSent) return;
    response.setHeader('Content-Type', contentType);
    response.end(body);
  } catch (error) {
    if (next) return next(error);
    if (response.headersSent) return;
    response.statusCode = 500;
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end(`The metrics could not be read: ${reasonOf(error)}\n`);
  }
}

async function reply({ contentType }: TextSource, text: KeptText, response: MetricsReply): Promise<string> {
  const body = await text.read();
  response.header('content-type', contentType);
  return body;
}

async function show({ contentType }: TextSource, text: KeptText, context: MetricsContext): Promise<void> {
  const body = await text.read();
  context.set('Content-Type', contentType);
  context.status = 200;
  context.body = body;
}

async function respond({ contentType }: TextSource, text: KeptText): Promise<Response> {
  return new Response(await text.read(), { headers: { 'content-type': contentType } });
}
