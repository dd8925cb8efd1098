import { problem } from '@sluice/example-shared';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fp from 'fastify-plugin';

export function sendProblem(reply: FastifyReply, status: number, detail: string): FastifyReply {
  // As bytes: to the type of a text Fastify would add a charset.
  const body = Buffer.from(JSON.stringify(problem(status, detail)));
  return reply.code(status).header('Content-Type', 'application/problem+json').send(body);
}

/** What no route answers, and what fails, is answered with problem details. */
export const problems = fp(async (app: FastifyInstance) => {
  app.setNotFoundHandler((request, reply) => {
    const [path] = request.url.split('?');
    return sendProblem(reply, 404, `There is no ${request.method} ${path}.`);
  });

  // The response names a client's mistake. A fault of the server is only logged.
  app.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const { statusCode = 500, message } = error;
    if (statusCode < 500) return sendProblem(reply, statusCode, message);
    request.log.error(error);
    return sendProblem(reply, 500, 'Something went wrong here.');
  });
});
