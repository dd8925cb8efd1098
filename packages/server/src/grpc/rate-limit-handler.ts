import { type handleUnaryCall, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { whenReady, whenSettled } from '@sluice/core/http';
import { stopwatchMs } from '@sluice/core/store';
import type { RequestCounter } from '../counters/request-counter.js';
import { type Caller, OPERATION_ID_FIELD } from '../descriptors/caller.js';
import { NOT_ASKED } from '../descriptors/descriptor-status.js';
import type { RateLimitRequest } from '../descriptors/rate-limit-request.js';
import { CODES, type RateLimitResponse } from '../descriptors/rate-limit-response.js';
import { RequestMistake } from '../descriptors/request-mistake.js';
import { shouldRateLimit } from '../descriptors/should-rate-limit.js';
import type { Service } from '../service/service.js';
import { peerAddress } from './peer-address.js';
import { type RateLimitMessage, type Received, UNREADABLE } from './protocol.js';
import { rateLimitMessage } from './rate-limit-message.js';
import { type CallError, statusOfError } from './status-of-error.js';

/** The parts of the handler of `ShouldRateLimit`. */
export interface RateLimitHandlerOptions {
  readonly service: Service;
  /** Whether a caller may ask. */
  readonly knows: (address: string | undefined, authorization: string | undefined) => boolean;
  readonly counter?: RequestCounter;
  /** Gets the errors that no caller is to blame for. */
  readonly report: (error: unknown) => void;
}

type Request = Received<RateLimitRequest>;

const UNKNOWN_CALLER: CallError = {
  code: status.UNAUTHENTICATED,
  details: 'send a call token in the metadata `authorization`, or ask from an address of trustedProxies',
};

const UNREADABLE_REQUEST: CallError = {
  code: status.INVALID_ARGUMENT,
  details: 'the message must be an envoy.service.ratelimit.v3.RateLimitRequest',
};

/** Makes the handler of `ShouldRateLimit`. */
export function rateLimitHandler(options: RateLimitHandlerOptions): handleUnaryCall<Request, RateLimitMessage> {
  const { service, knows, counter, report } = options;
  return (call, callback) => {
    const startMs = stopwatchMs();
    const fail = (failure: CallError): void => {
      counter?.count(status[failure.code], startMs);
      callback(failure);
    };
    const failWith = (error: unknown): void => {
      const refusal = unknownPolicyRefusal(error, request);
      if (refusal) {
        counter?.count(status[status.NOT_FOUND], startMs);
        callback(null, refusal);
        return;
      }
      const failure = statusOfError(error);
      if (failure.code === status.INTERNAL) report(error);
      fail(failure);
    };
    const address = peerAddress(call.getPeer());
    const { request } = call;
    if (!knows(address, textOf(call, 'authorization'))) return fail(UNKNOWN_CALLER);
    if (request === UNREADABLE) return fail(UNREADABLE_REQUEST);
    whenSettled(
      () => whenReady(shouldRateLimit(service, request, callerOf(call, address)), messageOf),
      ({ message, code }) => {
        counter?.count(code, startMs);
        callback(null, message);
      },
      failWith,
    );
  };
}

/**
 * The answer about a policy that the file does not have; undefined for other errors. It is a refusal, because Envoy lets requests
 * pass after an error, so that a removed policy would open the gate.
 */
function unknownPolicyRefusal(error: unknown, request: Request): RateLimitMessage | undefined {
  if (!(error instanceof RequestMistake) || error.kind !== 'unknown-policy' || request === UNREADABLE) return undefined;
  const [, unknown] = error.path;
  return rateLimitMessage({
    overallCode: CODES.OVER_LIMIT,
    statuses: request.descriptors.map((_, i) => (i === unknown ? { code: CODES.OVER_LIMIT } : NOT_ASKED)),
    responseHeadersToAdd: [{ key: 'Content-Type', value: 'application/problem+json' }],
    rawBody: JSON.stringify({ title: 'Not Found', status: 404, detail: error.message }),
    dynamicMetadata: { status: 404 },
  });
}

/** The message of an answer, and how it is counted. */
function messageOf(response: RateLimitResponse): { readonly message: RateLimitMessage; readonly code: string } {
  return {
    message: rateLimitMessage(response),
    code: response.overallCode === CODES.OK ? 'OK' : 'OVER_LIMIT',
  };
}

function callerOf(call: ServerUnaryCall<Request, RateLimitMessage>, address: string | undefined): Caller {
  const operationId = textOf(call, OPERATION_ID_FIELD);
  return operationId === undefined ? { address } : { address, operationId };
}

/** The metadata of a name; undefined if it is not sent. */
function textOf({ metadata }: ServerUnaryCall<Request, RateLimitMessage>, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
