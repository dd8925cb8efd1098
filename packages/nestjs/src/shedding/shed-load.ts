import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Shedder } from '@sluice/core/application';
import { createNodeShedding } from '@sluice/core/http';
import type { ShedLoadOptions } from './options.js';

/** The middleware, with its shedder. */
export interface ShedLoadMiddleware {
  (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void;
  /** Counts the requests in flight and reads the event loop. An `elastic` limit takes its `calm`. */
  readonly shedder: Shedder;
}

/**
 * Sheds load: while this process cannot keep up, it refuses the least important requests with status 503 and
 * `Retry-After`, so that all others are answered quickly. Use it as the first middleware, in `main.ts`, or choose the
 * `LoadSheddingModule`, which does that by itself and lets you inject the shedder.
 *
 * It works on Express and on Fastify, for requests over HTTP. Messages of WebSockets and of microservices pass no
 * middleware, so they are not shed.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const app = await NestFactory.create(AppModule);
 * app.use(shedLoad()); // before all others
 */
export function shedLoad(options: ShedLoadOptions = {}): ShedLoadMiddleware {
  const { pass, shedder } = createNodeShedding(options);
  return Object.assign(pass, { shedder });
}
