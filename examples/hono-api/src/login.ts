import { FAILURES, signIn, userNameOf } from '@sluice/example-shared';
import { byIp, rateLimit, type Store } from '@sluice/hono';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { sendProblem } from './problems.js';

type WithBody = { Variables: { body: unknown } };

const readBody: MiddlewareHandler<WithBody> = async (c, next) => {
  try {
    c.set('body', await c.req.json());
  } catch {
    return sendProblem(c, 400, 'The body is not JSON.');
  }
  return next();
};

/** `POST /login`: guessing a password is limited, signing in is not. */
export function login(store: Store): Hono<WithBody> {
  const limitGuesses = rateLimit({
    name: 'login',
    limit: FAILURES,
    keyGenerator: [byIp(), (c) => userNameOf(c.get('body'))],
    skipSuccessfulRequests: true,
    store,
  });
  const limitSize = bodyLimit({ maxSize: 1024, onError: (c) => sendProblem(c, 413, 'Send at most a kilobyte.') });

  // The limit reads the user name, so the body comes first.
  return new Hono<WithBody>().post('/', limitSize, readBody, limitGuesses, (c) => {
    const userName = signIn(c.get('body'));
    if (userName === undefined) return sendProblem(c, 401, 'Wrong user name or password.');
    return c.json({ welcome: userName });
  });
}
