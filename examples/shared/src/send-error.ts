import type { IncomingMessage, ServerResponse } from 'node:http';
import { problem } from './problem.js';

/** The error handler of Express. The response names a client's mistake. A fault of the server is only logged. */
export function sendError(
  error: { readonly status?: number; readonly message?: string } | undefined,
  _req: IncomingMessage,
  res: ServerResponse,
  next: (error: unknown) => void,
): void {
  if (res.headersSent) {
    next(error);
    return;
  }
  const { status = 500, message = '' } = error ?? {};
  const isMistake = status >= 400 && status < 500;
  if (!isMistake) console.error(error);
  const body = isMistake ? problem(status, message) : problem(500, 'Something went wrong here.');
  res.writeHead(body.status, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify(body));
}
