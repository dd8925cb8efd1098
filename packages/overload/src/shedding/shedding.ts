// Why it is so: core/docs/why/load-shedding.md

import { show } from '@sluice/core/src/values/error';
import { isPromise } from '@sluice/core/src/values/eventual';
import type { HttpRequest } from '@sluice/http/node/request';
import type { Outcome } from '@sluice/http/node/response-end';
import { callbackOf } from '../callback.js';
import { createShedder } from '../create-shedder.js';
import type { LoadState, RequestOrigin, Shedder } from '../shedder.js';
import { AdmittedRequest } from './admitted-request.js';
import { healthCheckOf } from './health-paths.js';
import { checkShedLoadOptions, type ShedLoadOptions } from './options.js';
import { isAdmittedBy, keepPermit } from './permit-of.js';
import { priorityOf } from './request-priority.js';
import { type ShedRefusal, shedRefusal } from './shed-refusal.js';

type Args = readonly unknown[];

/** The parts of a request that load shedding reads. */
export type SheddingRequest = Pick<HttpRequest, 'headers' | 'socket'>;

/** How an adapter reads and answers the requests of its framework when it sheds load. */
export interface SheddingHost<A extends Args> {
  /** Returns the same object, or one with the same `raw`, for every part of an application that a request passes. */
  requestOf(...args: A): SheddingRequest;
  /**
   * Returns the whole URL as the client has sent it, `/api/livez?verbose`, also if the application is mounted under a path that
   * the framework takes away.
   */
  urlOf(...args: A): string;
  /**
   * Returns the pattern of the request's route, as the application has written it: `/users/:id`, without the prefix of its scope.
   * Undefined for a request without a route. Absent: the framework chooses the route later.
   */
  routeOf?(...args: A): string | undefined;
  /** Stores the state where handlers find it. */
  keep(load: LoadState, ...args: A): void;
  /**
   * Calls `notify` once when the request has ended in any way, and at once if it already has. Over Node's HTTP, use
   * `onResponseEnd`.
   */
  onEnd(notify: (outcome: Outcome) => void, ...args: A): unknown;
  /**
   * Calls `notify` when the header fields of the response go out. Over Node's HTTP, use `onFieldsSent`. Absent: a stream takes
   * a place under the limit in flight until it ends.
   */
  onFields?(notify: () => void, ...args: A): unknown;
  /** Whether the server has left the connection to the application, for a WebSocket or another protocol. */
  isUpgrade?(...args: A): boolean;
  /** Returns the content type of a response whose header fields have gone out, or that has ended. */
  contentTypeOf(...args: A): string | undefined;
}

/** Load shedding of one application. */
export interface Shedding<A extends Args> {
  /** What is asked about each request. */
  readonly shedder: Shedder;
  /** Admits a request, or returns the refusal to send, unchanged. Nothing of it is a promise. */
  admit(...args: A): ShedRefusal | undefined;
}

const EVENT_STREAM = 'text/event-stream';

/**
 * Makes the framework-neutral half of `shedLoad`. Call `admit` before everything else that is done for a request. If it
 * returns a refusal, send it and do nothing more.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const { shedder, admit } = createShedding(options, host);
 * const refusal = admit(req, res);
 */
export function createShedding<A extends Args>(options: ShedLoadOptions<A>, host: SheddingHost<A>): Shedding<A> {
  checkShedLoadOptions(options);
  const shedder = shedderOf(options);
  const priority = priorityOf(options);
  const origin = originOf(options);
  const isExempt = exemptionOf(options, host);
  const isStream = streamRuleOf(options, host);
  const { random, onShed } = options;
  const report = onShed && callbackOf(options, 'onShed', onShed, undefined, 'and the request stays refused');

  const admit = (...args: A): ShedRefusal | undefined => {
    const request = host.requestOf(...args);
    if (isAdmittedBy(shedder, request)) return undefined;
    const permit = isExempt(args) ? shedder.exempt() : shedder.admit(priority(request, args), origin?.(args));
    if (permit === undefined) {
      report?.(args);
      return shedRefusal(random);
    }
    const admitted = new AdmittedRequest(keepPermit(request, shedder, permit), isStream, args);
    host.keep(shedder.state, ...args);
    if (host.isUpgrade?.(...args)) admitted.becomeStream();
    host.onFields?.(admitted.begun, ...args);
    host.onEnd(admitted.ended, ...args);
    return undefined;
  };
  return { shedder, admit };
}

/** Returns the function that finds the tenant and the bulkhead of a request; undefined if there are none. */
function originOf<A extends Args>(options: ShedLoadOptions<A>): ((args: A) => RequestOrigin) | undefined {
  const tenant = options.tenant && nameOf(options, 'tenant', options.tenant, 'so the request has no tenant');
  const bulkhead = options.bulkhead && nameOf(options, 'bulkhead', options.bulkhead, 'so the request has no bulkhead');
  if (!tenant && !bulkhead) return undefined;
  // Those without a tenant share one part: they must not have more by having none.
  return (args) => ({ tenant: tenant && (tenant(args) ?? ''), bulkhead: bulkhead?.(args) });
}

function nameOf<A extends Args>(
  options: ShedLoadOptions<A>,
  option: string,
  callback: (...args: A) => string | undefined,
  consequence: string,
): (args: A) => string | undefined {
  const checked = (...args: A): string | undefined => {
    const answer = callback(...args);
    // A promise is reported by the caller.
    if (answer === undefined || typeof answer === 'string' || isPromise(answer)) return answer;
    throw new TypeError(`${option} returned ${show(answer)}, which is neither a string nor undefined`);
  };
  return callbackOf(options, option, checked, undefined, consequence);
}

function shedderOf<A extends Args>({ shedder, name, loop, inFlight, headroom, tenants }: ShedLoadOptions<A>): Shedder {
  if (shedder) return shedder;
  return createShedder({
    ...(name !== undefined && { name }),
    ...(loop !== undefined && { loop }),
    ...(inFlight !== undefined && { inFlight }),
    ...(headroom !== undefined && { headroom }),
    ...(tenants !== undefined && { tenants }),
  });
}

function exemptionOf<A extends Args>(options: ShedLoadOptions<A>, host: SheddingHost<A>): (args: A) => boolean {
  const { skip, health } = options;
  const isHealthCheck = healthCheckOf(health);
  const isHealth = (args: A): boolean => isHealthCheck?.(host.urlOf(...args), host.routeOf?.(...args)) === true;
  if (!skip) return isHealth;
  const isSkipped = callbackOf(options, 'skip', skip, false, 'so the request was not skipped');
  return (args) => isHealth(args) || isSkipped(args);
}

function streamRuleOf<A extends Args>(options: ShedLoadOptions<A>, host: SheddingHost<A>): (args: A) => boolean {
  const isEventStream = (args: A): boolean => host.contentTypeOf(...args)?.startsWith(EVENT_STREAM) === true;
  if (!options.isStream) return isEventStream;
  return callbackOf(options, 'isStream', options.isStream, false, 'so the response counts as no stream');
}
