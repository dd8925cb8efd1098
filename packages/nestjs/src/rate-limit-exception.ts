// Why it is so: core/docs/why/frameworks.md

import { HttpException } from '@nestjs/common';
import type { Decision } from '@sluice/core';
import type { Refusal } from '@sluice/core/http';

/** The codes that GraphQL clients know, by status, for a refusal without a limit: a missing key, or the deny list. */
const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

/**
 * A refused call. `getStatus()` is 429 (or the status of the policy). `getResponse()` is the problem, or the policy's
 * message. The header fields are already on the response. GraphQL servers send `extensions` with the error: the code is
 * `RATE_LIMITED`; without a decision it is `UNAUTHENTICATED` for 401 and `FORBIDDEN` for 403.
 */
export class RateLimitException extends HttpException {
  /** Undefined if the address is on the deny list. */
  readonly decision: Decision | undefined;
  /** The response that is sent, to the byte, unless a filter of the application sends something else. */
  readonly refusal: Refusal;
  /** What GraphQL servers send with the error. */
  readonly extensions: {
    /** `RATE_LIMITED`, or without a decision `UNAUTHENTICATED` or `FORBIDDEN`. */
    readonly code: string;
    /** What Apollo Server reads. */
    readonly http: {
      /** The status of the response. */
      readonly status: number;
    };
  };

  constructor(refusal: Refusal, decision?: Decision) {
    super(refusal.body, refusal.status);
    this.refusal = refusal;
    this.decision = decision;
    this.extensions = { code: codeOf(refusal, decision), http: { status: refusal.status } };
    if (!isText(refusal)) this.message = 'Rate Limit Exception';
  }

  /** Computed when a filter asks for it. */
  override getResponse(): string | object {
    return isText(this.refusal) ? this.refusal.body : JSON.parse(this.refusal.body);
  }
}

function codeOf({ status }: Refusal, decision: Decision | undefined): string {
  return (decision === undefined ? CODES[status] : undefined) ?? 'RATE_LIMITED';
}

const isText = ({ headers }: Refusal): boolean => headers['Content-Type'].startsWith('text/');

/** Packages for transports other than HTTP are loaded when they are needed. */
const EXCEPTIONS = {
  ws: async () => (await import('@nestjs/websockets')).WsException,
  rpc: async () => (await import('@nestjs/microservices')).RpcException,
};

/** Returns the exception that the filters of a kind of context understand. */
export async function exceptionFor(type: string, exception: RateLimitException): Promise<Error> {
  if (type !== 'ws' && type !== 'rpc') return exception;
  const Exception = await EXCEPTIONS[type]();
  return Object.assign(new Exception(exception.getResponse()), { decision: exception.decision });
}
