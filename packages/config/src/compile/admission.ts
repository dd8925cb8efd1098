import type { Key } from '@sluice/core';
import { addressMatcher, byIp, HttpRefusal } from '@sluice/core/http';
import type { PolicyRule } from '../file/policy-file.js';
import type { Caller, CallerReader } from './caller.js';
import { requestOf } from './request-value.js';

/** One error for all refusals: a flood of refused requests makes no stack traces. */
const UNKNOWN = new HttpRefusal(401, { detail: 'The request has no known key.', reason: 'unknown' });
const DENIED = new HttpRefusal(403, { reason: 'denyList' });
const BLOCKED = new HttpRefusal(403, { detail: 'This customer is blocked.', reason: 'blocked' });

const addressOf = byIp();

/**
 * Returns the function that throws if a request is refused for its sender: an address on the `denyList` (403), a blocked customer
 * (403), or nobody whom the file knows, under `unknownCustomer: refuse` (401). Undefined if the policy refuses nobody so.
 */
export function admission<Req extends object>(
  { denyList, unknownCustomer }: PolicyRule,
  caller: CallerReader<Req> | undefined,
  nowMs: () => number,
): ((request: Req) => void) | undefined {
  if (denyList.length === 0) return caller && ((request) => admitCaller(caller(request), unknownCustomer, nowMs));
  const isDenied = addressMatcher(denyList, 'denyList');
  return (request) => {
    if (isDenied(requestOf(request).ip)) throw DENIED;
    if (caller) admitCaller(caller(request), unknownCustomer, nowMs);
  };
}

function admitCaller({ customer }: Caller, unknownCustomer: PolicyRule['unknownCustomer'], nowMs: () => number): void {
  if (customer === undefined) {
    if (unknownCustomer === 'refuse') throw UNKNOWN;
    return;
  }
  const { block } = customer;
  if (block && (block.untilMs === Number.POSITIVE_INFINITY || nowMs() < block.untilMs)) throw BLOCKED;
}

/** Returns whether a request is not counted: its address is on the `allowList`, and not on the `denyList`. */
export function exemption({ allowList, denyList }: PolicyRule): ((request: object) => boolean) | undefined {
  if (allowList.length === 0) return undefined;
  const isAllowed = addressMatcher(allowList, 'allowList');
  const isDenied = addressMatcher(denyList, 'denyList');
  return (request) => {
    const { ip } = requestOf(request);
    return isAllowed(ip) && !isDenied(ip);
  };
}

/**
 * Returns the function that reads the key to count a caller by. Without a key it is the address, and also if nobody knows the
 * customer: otherwise a client could get a new quota by inventing a new key.
 */
export function countedKey<Req extends object>(
  read: CallerReader<Req>,
  unknownCustomer: PolicyRule['unknownCustomer'],
): (request: Req) => Key | undefined {
  return (request) => {
    const { key, customer } = read(request);
    const isUnknown = customer === undefined && unknownCustomer !== undefined;
    return key === undefined || isUnknown ? addressOf(requestOf(request)) : key;
  };
}
