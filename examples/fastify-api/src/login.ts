import { FAILURES, signIn, userNameOf } from '@sluice/example-shared';
import { byIp } from '@sluice/fastify';
import type { FastifyPluginAsync } from 'fastify';
import { sendProblem } from './problems.js';

/** `POST /login`: guessing a password is limited, signing in is not. */
export const login: FastifyPluginAsync = async (app) => {
  const limitGuesses = app.rateLimit({
    name: 'login',
    limit: FAILURES,
    keyGenerator: [byIp(), ({ body }) => userNameOf(body)],
    skipSuccessfulRequests: true,
  });

  // The limit reads the user name, so the body comes first.
  app.post('/', { bodyLimit: 1024, preHandler: limitGuesses }, async ({ body }, reply) => {
    const userName = signIn(body);
    if (userName === undefined) return sendProblem(reply, 401, 'Wrong user name or password.');
    return { welcome: userName };
  });
};
