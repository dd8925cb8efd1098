import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import type { LoadState } from '@sluice/core/application';
import type { ShedLoadMiddleware } from './shed-load.js';

/** The parts of a Fastify instance that are used. */
interface FastifyInstance {
  /** Present if `@fastify/middie` is registered. */
  readonly use?: unknown;
  addHook(
    name: 'onRequest',
    hook: (request: Raw<IncomingMessage>, reply: Raw<ServerResponse>, done: () => void) => void,
  ): void;
  hasRequestDecorator(name: string): boolean;
  decorateRequest(name: string, value: { getter(this: Raw<LoadedRequest>): LoadState | undefined }): void;
}

interface Raw<T> {
  readonly raw: T;
}

interface LoadedRequest extends IncomingMessage {
  readonly load?: LoadState;
}

/**
 * Makes a server run the middleware before everything that is added to it from now on. On Fastify, `request.load` is
 * then that of Node's request.
 */
export function placeFirst(middleware: ShedLoadMiddleware, server: HttpServer): void {
  if (server.getType() !== 'fastify') {
    server.use(middleware);
    return;
  }
  const fastify: FastifyInstance = server.getInstance();
  if (!fastify.hasRequestDecorator('load')) {
    fastify.decorateRequest('load', {
      getter() {
        return this.raw.load;
      },
    });
  }
  // Nest has registered the plugin that runs middleware, before any hook of the application: then only middleware can be
  // first. If it has not, which is so in tests and with `skipMiddie`, a hook is first.
  if (fastify.use) server.use(middleware);
  else fastify.addHook('onRequest', ({ raw: req }, { raw: res }, done) => middleware(req, res, done));
}
