import type { ServerResponse } from 'node:http';
import { SluiceError } from '@sluice/core';
import { addressMatcher, type Refusal } from '@sluice/core/http';
import { type Eventual, stopwatchMs } from '@sluice/core/values';
import { InputProblem } from '../http/input-problem.js';
import type { Route, RouteRequest } from '../http/route.js';
import type { Protocol, RequestMetrics } from '../metrics/request-metrics.js';
import type { Service, ServiceAnswer } from '../service/service.js';
import { forwardAnswer, subrequestAnswer, subrequestMistake, type WriteAnswer } from './answers.js';
import { addressReader } from './client-address.js';
import { forwardedCall } from './forwarded-call.js';
import { isLastingRefusal } from './lasting-refusal.js';
import { namedPolicies } from './named-policies.js';

/** The options of `trafficRoutes`. */
export interface TrafficRoutesOptions {
  readonly service: Service;
  readonly requestMetrics: RequestMetrics;
  /** Addresses and ranges of those who may say for whom they ask. Others are counted by their own address. */
  readonly trustedProxies: readonly string[];
  /** The field with the address of the client. Default: `X-Forwarded-For` for forward-auth, `X-Real-IP` for auth-request. */
  readonly addressField?: string | undefined;
}

/** Answers a request that is wrong, in place of a problem. */
type WriteMistake = (response: ServerResponse, refusal: Refusal) => void;

/**
 * Makes the routes that balancers ask before they pass a request on: `/v1/forward-auth/{policy}` and
 * `/v1/auth-request/{policy}`. Several policies, one after the other in the path, decide as a chain of middleware.
 *
 * @throws SluiceError `SLUICE_OPTION` if an entry of `trustedProxies` is no address or range
 */
export function trafficRoutes({
  service,
  requestMetrics,
  trustedProxies,
  addressField,
}: TrafficRoutesOptions): readonly Route[] {
  const isTrusted = addressMatcher(trustedProxies, 'trustedProxies');
  const isTrustedPeer = ofLastPeer(isTrusted);

  const route = (
    name: string,
    protocol: Protocol,
    usualField: string,
    write: WriteAnswer,
    mistake?: WriteMistake,
  ): Route => {
    const field = (addressField ?? usualField).toLowerCase();
    const addressOf = addressReader(field, isTrusted);
    const metrics = requestMetrics.of(protocol);

    const decide = ({ rest, search, message }: RouteRequest): Eventual<ServiceAnswer> => {
      if (search !== '') throw new InputProblem(400, [{ parameter: 'query', detail: 'must be empty' }]);
      const policies = namedPolicies(rest, service);
      const call = forwardedCall(message, isTrustedPeer, addressOf);
      return typeof policies === 'string' ? service.answer(policies, call) : service.answerAll(policies, call);
    };

    const fail = (error: unknown, response: ServerResponse, startMs: number): void => {
      const problem = asProblem(error, field);
      metrics.record(problem instanceof InputProblem ? problem.status : 500, startMs);
      if (!mistake || !(problem instanceof InputProblem) || problem.status !== 400) throw problem;
      mistake(response, problem.refusal);
    };

    const answerLater = async (
      answer: PromiseLike<ServiceAnswer>,
      response: ServerResponse,
      startMs: number,
    ): Promise<void> => {
      try {
        metrics.record(write(response, await answer), startMs);
      } catch (error) {
        fail(error, response, startMs);
      }
    };

    return {
      prefix: `/v1/${name}/`,
      handle(request, response) {
        const startMs = stopwatchMs();
        let answer: Eventual<ServiceAnswer>;
        try {
          answer = decide(request);
        } catch (error) {
          return fail(error, response, startMs);
        }
        if (answer instanceof Promise) return answerLater(answer, response, startMs);
        metrics.record(write(response, answer as ServiceAnswer), startMs);
        return undefined;
      },
    };
  };

  return [
    route('forward-auth', 'forward_auth', 'x-forwarded-for', forwardAnswer),
    route(
      'auth-request',
      'auth_request',
      'x-real-ip',
      subrequestAnswer((answer) => isLastingRefusal(answer, service.live.file)),
      subrequestMistake,
    ),
  ];
}

/** Remembers the last peer: balancers are few, and each asks again and again. */
function ofLastPeer(isTrusted: (peer: string | undefined) => boolean): typeof isTrusted {
  let last: string | undefined;
  let isLastTrusted = isTrusted(last);
  return (peer) => {
    if (peer !== last) {
      isLastTrusted = isTrusted(peer);
      last = peer;
    }
    return isLastTrusted;
  };
}

/** Returns what a client is told of an error. Only a request that cannot be counted is its own fault. */
function asProblem(error: unknown, field: string): unknown {
  if (!(error instanceof SluiceError)) return error;
  if (error.code === 'SLUICE_KEY') return new InputProblem(400, [{ header: field, detail: NO_KEY }], { cause: error });
  // A reload has removed the policy since it was looked up.
  if (error.code === 'SLUICE_OPTION' && error.path === 'name') {
    return new InputProblem(404, [{ parameter: 'policy', detail: 'is not in the policy file' }], { cause: error });
  }
  return error;
}

const NO_KEY = 'is missing, and the request has nothing else to count by';
