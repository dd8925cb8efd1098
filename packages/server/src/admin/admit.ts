import type { IncomingMessage } from 'node:http';
import { InputProblem } from '../http/input-problem.js';
import type { Access, AdminCaller, AdminTokens } from './tokens.js';

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Returns who sends a request, by its token.
 *
 * @throws InputProblem 401 without a known token, 403 if it only allows to read
 */
export function admit({ headers }: IncomingMessage, tokens: AdminTokens, access: Access): AdminCaller {
  const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
  const caller = token === undefined ? undefined : tokens.find(token);
  if (!caller) {
    throw new InputProblem(
      401,
      [{ header: 'Authorization', detail: 'must be Bearer, and a token of the administration' }],
      {
        headers: { 'WWW-Authenticate': 'Bearer realm="sluice"' },
      },
    );
  }
  checkAccess(caller, access);
  return caller;
}

/** @throws InputProblem 403 if the token only allows to read */
export function checkAccess(caller: AdminCaller, access: Access): void {
  if (access === 'read' || caller.access === 'write') return;
  throw new InputProblem(403, [{ header: 'Authorization', detail: 'must have a write token: this one may only read' }]);
}
