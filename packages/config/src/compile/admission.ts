import type { Key } from '@sluice/core';
import { byIp, HttpRefusal } from '@sluice/core/http';
import type { PolicyRule } from '../file/policy-file.js';
import type { Caller, CallerReader } from './caller.js';
import { requestOf } from './request-value.js';

/** One error for all refusals: a flood of refused requests makes no stack traces. */
const UNKNOWN = new HttpRefusal(401, { detail: 'The request has no known key.' });
const BLOCKED = new HttpRefusal(403, { detail: 'This customer is blocked.' });

const addressOf = byIp();

/** Whether a policy refuses by who sends a request, and by which clock a block ends. */
export interface AdmissionRules {
  readonly unknownCustomer: PolicyRule['unknownCustomer'];
  /** Whether requests may be refused at all: false in shadow. */
  readonly refuses: boolean;
  nowMs(): number;
}

/**
 * Throws if a request is refused for its sender: a blocked customer (403), or nobody whom the file knows, under
 * `unknownCustomer: refuse` (401).
 *
 * @throws HttpRefusal
 */
export function admit({ customer }: Caller, { unknownCustomer, refuses, nowMs }: AdmissionRules): void {
  if (!refuses) return;
  if (customer === undefined) {
    if (unknownCustomer === 'refuse') throw UNKNOWN;
    return;
  }
  const { block } = customer;
  if (block && (block.untilMs === Number.POSITIVE_INFINITY || nowMs() < block.untilMs)) throw BLOCKED;
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
