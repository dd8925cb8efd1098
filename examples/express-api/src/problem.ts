import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

/** Answers as Sluice's refusals do, with problem details (RFC 9457), so that clients read one format. */
export function problem(res: Response, status: number, detail: string): void {
  const body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail });
  res.status(status).setHeader('Content-Type', 'application/problem+json').end(body);
}

export const notFound: RequestHandler = (req, res) => problem(res, 404, `There is no ${req.method} ${req.path}.`);

/** What a client did wrong is told; what went wrong here is logged. */
export const sendError: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error);
  if (error?.expose === true) return problem(res, error.status, error.message);
  console.error(error);
  problem(res, 500, 'Something went wrong here.');
};
