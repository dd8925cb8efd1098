import { FAILURES, signIn, userNameOf } from '@sluice/example-shared';
import { byIp, rateLimit, type Store } from '@sluice/express';
import express, { Router } from 'express';
import { sendProblem } from './problems.js';

/** `POST /login`: guessing a password is limited, signing in is not. */
export function login(store: Store): Router {
  const router = Router();
  router.post(
    '/',
    // The limit reads the user name, so the body comes first.
    express.json({ limit: '1kb' }),
    rateLimit({
      name: 'login',
      limit: FAILURES,
      keyGenerator: [byIp(), ({ body }) => userNameOf(body)],
      skipSuccessfulRequests: true,
      store,
    }),
    (req, res) => {
      const userName = signIn(req.body);
      if (userName === undefined) return sendProblem(res, 401, 'Wrong user name or password.');
      res.json({ welcome: userName });
    },
  );
  return router;
}
