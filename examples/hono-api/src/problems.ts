import { problem } from '@sluice/example-shared';
import type { Context, ErrorHandler, MiddlewareHandler, NotFoundHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export function sendProblem(c: Context, status: ContentfulStatusCode, detail: string): Response {
  return c.body(JSON.stringify(problem(status, detail)), status, { 'Content-Type': 'application/problem+json' });
}

export const notFound: NotFoundHandler = (c) => sendProblem(c, 404, `There is no ${c.req.method} ${c.req.path}.`);

/** A fault of the server is logged, and the response does not name it. */
export const sendError: ErrorHandler = (error, c) => {
  console.error(error);
  return sendProblem(c, 500, 'Something went wrong here.');
};

/** Hono says of its JSON that it is JSON, and not that it is UTF-8, which the other examples say. */
export const withCharset: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.headers.get('Content-Type') === 'application/json')
    c.header('Content-Type', 'application/json; charset=utf-8');
};
