import { type handleUnaryCall, type ServerUnaryCall, type StatusObject, status } from '@grpc/grpc-js';
import { stopwatchMs, whenReady, whenSettled } from '@sluice/core/values';
import { type Caller, OPERATION_ID_FIELD } from '../descriptors/caller.js';
import type { RateLimitRequest } from '../descriptors/rate-limit-request.js';
import { CODES, type RateLimitResponse } from '../descriptors/rate-limit-response.js';
import { shouldRateLimit } from '../descriptors/should-rate-limit.js';
import type { ProtocolMetrics } from '../metrics/protocol-metrics.js';
import type { Service } from '../service/service.js';
import { peerAddress } from './peer-address.js';
import { type RateLimitMessage, type Received, UNREADABLE } from './protocol.js';
import { rateLimitMessage } from './rate-limit-message.js';
import { refusalOfError } from './refusal-of-error.js';

/** The parts of the handler of `ShouldRateLimit`. */
interface RateLimitHandlerOptions {
  readonly service: Service;
  /** Whether a caller may ask. */
  readonly knows: (address: string | undefined, authorization: string | undefined) => boolean;
  readonly metrics?: ProtocolMetrics;
  /** Gets the errors that no caller is to blame for. */
  readonly report: (error: unknown) => void;
}

type Request = Received<RateLimitRequest>;

/** How a call ends that gets no message: no balancer makes such calls. */
type CallError = Pick<StatusObject, 'code' | 'details'>;

const UNKNOWN_CALLER: CallError = {
  code: status.UNAUTHENTICATED,
  details: 'send a call token in the metadata `authorization`, or ask from an address of trustedProxies',
};

/** Nobody gets it, but it is counted. */
const CALLER_LEFT: CallError = { code: status.CANCELLED, details: 'the caller has left' };

const UNREADABLE_REQUEST: CallError = {
  code: status.INVALID_ARGUMENT,
  details: 'the message must be an envoy.service.ratelimit.v3.RateLimitRequest',
};

/** Makes the handler of `ShouldRateLimit`. */
export function rateLimitHandler(options: RateLimitHandlerOptions): handleUnaryCall<Request, RateLimitMessage> {
  const { service, knows, metrics, report } = options;
  return (call, callback) => {
    const startMs = stopwatchMs();
    const fail = (failure: CallError): void => {
      metrics?.record(status[failure.code], startMs);
      callback(failure);
    };
    const answer = ({ message, code }: Answered): void => {
      metrics?.record(code, startMs);
      callback(null, message);
    };
    const address = peerAddress(call.getPeer());
    const { request } = call;
    // Its connection has ended, so that nobody can say who it was. It is not charged either.
    if (address === undefined) return fail(CALLER_LEFT);
    if (!knows(address, textOf(call, 'authorization'))) return fail(UNKNOWN_CALLER);
    if (request === UNREADABLE) return fail(UNREADABLE_REQUEST);
    whenSettled(
      () => whenReady(shouldRateLimit(service, request, callerOf(call, address)), messageOf),
      answer,
      (error) => {
        const refusal = refusalOfError(error, request);
        if (refusal.code === 'INTERNAL') report(error);
        answer(refusal);
      },
    );
  };
}

/** The message of an answer, and how it is counted. */
interface Answered {
  readonly message: RateLimitMessage;
  readonly code: string;
}

function messageOf(response: RateLimitResponse): Answered {
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
