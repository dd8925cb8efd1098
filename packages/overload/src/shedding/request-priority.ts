// Why it is so: core/docs/why/load-shedding.md

import { show } from '@sluice/core/src/values/error';
import { isPromise } from '@sluice/core/src/values/eventual';
import { isPriority, type Priority } from '@sluice/core/src/values/priority';
import { addressMatcher } from '@sluice/http/keys/address-list';
import { fieldOf, type HttpRequest, isForwarded } from '@sluice/http/node/request';
import { callbackOf } from '../callback.js';
import type { ShedLoadOptions } from './options.js';

type Args = readonly unknown[];

/** Returns how important a request is. */
type PriorityOf<A extends Args> = (request: Pick<HttpRequest, 'headers' | 'socket'>, args: A) => Priority;

/** The field in which a service says how important its request is, in lower case. */
const FIELD = 'sluice-priority';

/**
 * Makes the function that finds the priority of a request: the field of a trusted peer, or else what the options say.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function priorityOf<A extends Args>(options: ShedLoadOptions<A>): PriorityOf<A> {
  const own = ownPriority(options);
  const { trustPriority, trustForwardedPriority = false } = options;
  if (trustPriority === undefined) return (_request, args) => own(args);
  const isTrusted = trustOf(options, trustPriority);
  return (request, args) => {
    const stated = fieldOf(request, FIELD);
    // Most requests state nothing, and then nobody has to be trusted.
    if (stated === undefined || !isPriority(stated)) return own(args);
    if (!trustForwardedPriority && isForwarded(request)) return own(args);
    return isTrusted(request, args) ? stated : own(args);
  };
}

function ownPriority<A extends Args>(options: ShedLoadOptions<A>): (args: A) => Priority {
  const { priority = 'normal' } = options;
  if (typeof priority !== 'function') return () => priority;
  const checked = (...args: A): Priority => {
    const answer = priority(...args) ?? 'normal';
    // A promise is reported by the caller.
    if (isPriority(answer) || isPromise(answer)) return answer;
    throw new TypeError(`priority returned ${show(answer)}, which is none of 'critical', 'normal' and 'low'`);
  };
  return callbackOf(options, 'priority', checked, 'normal', 'so the request counts as normal');
}

function trustOf<A extends Args>(
  options: ShedLoadOptions<A>,
  trusted: NonNullable<ShedLoadOptions<A>['trustPriority']>,
): (request: Pick<HttpRequest, 'headers' | 'socket'>, args: A) => boolean {
  if (typeof trusted === 'function') {
    const ask = callbackOf(options, 'trustPriority', trusted, false, 'so the Sluice-Priority field was ignored');
    return (_request, args) => ask(args) === true;
  }
  const matches = addressMatcher(trusted, 'trustPriority');
  // The direct peer: everybody can send an X-Forwarded-For with a trusted address.
  return ({ socket }) => matches(socket?.remoteAddress);
}
