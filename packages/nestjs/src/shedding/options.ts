import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ShedLoadOptions as SharedOptions } from '@sluice/core/http';

/**
 * The options of `shedLoad` and of the `LoadSheddingModule`. Every callback gets the request and the response as
 * middleware of Nest does: Express's own on Express, and Node's on Fastify.
 */
export type ShedLoadOptions = SharedOptions<[req: IncomingMessage, res: ServerResponse]>;
