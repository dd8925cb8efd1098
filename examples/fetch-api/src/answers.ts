import { problem } from '@sluice/example-shared';

/** A `Response` says of its JSON that it is JSON, and not that it is UTF-8, which the other examples say. */
export function sendJson(body: unknown): Response {
  return Response.json(body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
}

export function sendProblem(status: number, detail: string): Response {
  return Response.json(problem(status, detail), { status, headers: { 'Content-Type': 'application/problem+json' } });
}

export function notFound({ method, url }: Request): Response {
  return sendProblem(404, `There is no ${method} ${new URL(url).pathname}.`);
}

/** A fault of the server is logged, and the response does not name it. */
export function sendError(error: unknown): Response {
  console.error(error);
  return sendProblem(500, 'Something went wrong here.');
}
