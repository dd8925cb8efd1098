import { FAILURES, signIn, userNameOf } from '@sluice/example-shared';
import { byIp, type FetchContext, rateLimit, respond, type Store } from '@sluice/fetch';
import { sendJson, sendProblem } from './answers.js';
import type { Route } from './route.js';

interface Login extends FetchContext {
  readonly body: unknown;
}

/** More bytes than any user name and password. */
const MOST_BYTES = 1024;

/** Reads the body; undefined if it has too many bytes. */
async function textOf({ body }: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `POST /login`: guessing a password is limited, signing in is not. */
export function login(store: Store): Route {
  const limitGuesses = rateLimit<Login>({
    name: 'login',
    limit: FAILURES,
    keyGenerator: [byIp(), (_request, { body }) => userNameOf(body)],
    skipSuccessfulRequests: true,
    store,
  });

  const answer = (body: unknown): Response => {
    const userName = signIn(body);
    return userName === undefined ? sendProblem(401, 'Wrong user name or password.') : sendJson({ welcome: userName });
  };

  // The limit reads the user name, so the body comes first.
  return async (request, address) => {
    const text = await textOf(request);
    if (text === undefined) return sendProblem(413, 'Send at most a kilobyte.');
    const body = parsed(text);
    if (body === undefined) return sendProblem(400, 'The body is not JSON.');
    return (await limitGuesses(request, { address, body })) ?? respond(request, () => answer(body));
  };
}

/** The value that a text has as JSON; undefined if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
