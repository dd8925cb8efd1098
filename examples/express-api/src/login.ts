import { byIp, rateLimit, type Store, slidingWindow } from '@sluice/express';
import express, { type Request, Router } from 'express';
import { problem } from './problem.js';

/** A real service keeps slow hashes of its passwords. */
const PASSWORDS = new Map([
  ['ann', 'wonderland'],
  ['bob', 'builder'],
]);

/** Wrong passwords per address and user name. */
export const FAILURES = slidingWindow({ limit: 5, window: '15m' });

/** Undefined without a name; the request is then counted by its address alone. */
function userNameOf({ body }: Request): string | undefined {
  return typeof body?.username === 'string' ? body.username.toLowerCase() : undefined;
}

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
      keyGenerator: [byIp(), userNameOf],
      skipSuccessfulRequests: true,
      store,
    }),
    (req, res) => {
      const userName = userNameOf(req);
      if (userName === undefined || PASSWORDS.get(userName) !== req.body.password) {
        return problem(res, 401, 'Wrong user name or password.');
      }
      res.json({ welcome: userName });
    },
  );
  return router;
}
