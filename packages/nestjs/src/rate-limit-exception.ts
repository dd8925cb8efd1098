import { HttpException } from '@nestjs/common';
import type { Decision } from '@sluice/core';
import type { Refusal } from '@sluice/core/http';

/** The codes that GraphQL's clients know, by status, for a refusal without a limit: for a missing key, or by the deny list. */
const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

/**
 * A call was refused. `getStatus()` is 429 (or what the policy says), `getResponse()` the problem, or the policy's message.
 * The header fields are on the response by then. GraphQL servers send `extensions` with the error:
 * the code is `RATE_LIMITED`, or without a decision `UNAUTHENTICATED` for 401 and `FORBIDDEN` for 403.
 */
export class RateLimitException extends HttpException {
  /** Undefined when the address is on the deny list. */
  readonly decision: Decision | undefined;
  /** What is sent, to the byte, unless a filter of the application sends something else. */
  readonly refusal: Refusal;
  readonly extensions: { readonly code: string; readonly http: { readonly status: number } };

  constructor(refusal: Refusal, decision?: Decision) {
    super(refusal.body, refusal.status);
    this.refusal = refusal;
    this.decision = decision;
    this.extensions = { code: codeOf(refusal, decision), http: { status: refusal.status } };
    if (!isText(refusal)) this.message = 'Rate Limit Exception';
  }

  /** Read when a filter asks for it. */
  override getResponse(): string | object {
    return isText(this.refusal) ? this.refusal.body : JSON.parse(this.refusal.body);
  }
}

function codeOf({ status }: Refusal, decision: Decision | undefined): string {
  return (decision === undefined ? CODES[status] : undefined) ?? 'RATE_LIMITED';
}

const isText = ({ headers }: Refusal): boolean => headers['Content-Type'].startsWith('text/');

/** What is not HTTP is loaded where it is used. */
const EXCEPTIONS = {
  ws: async () => (await import('@nestjs/websockets')).WsException,
  rpc: async () => (await import('@nestjs/microservices')).RpcException,
};

/** The exception that the filters of a kind of context understand. */
export async function exceptionFor(type: string, exception: RateLimitException): Promise<Error> {
  if (type !== 'ws' && type !== 'rpc') return exception;
  const Exception = await EXCEPTIONS[type]();
  return Object.assign(new Exception(exception.getResponse()), { decision: exception.decision });
}
