import { problem } from '@sluice/example-shared';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

export function sendProblem(res: Response, status: number, detail: string): void {
  res
    .status(status)
    .setHeader('Content-Type', 'application/problem+json')
    .end(JSON.stringify(problem(status, detail)));
}

export const notFound: RequestHandler = (req, res) => sendProblem(res, 404, `There is no ${req.method} ${req.path}.`);

/** The response names a client's mistake. A fault of the server is only logged. */
export const sendError: ErrorRequestHandler = (error, _req, res, next) => {
  if (res.headersSent) return next(error);
  if (error?.expose === true) return sendProblem(res, error.status, error.message);
  console.error(error);
  sendProblem(res, 500, 'Something went wrong here.');
};
