import { everyone, type Key } from '@sluice/core';
import { byIp, headerKey } from '@sluice/core/http';
import type { CustomerRule, KeyRule } from '../file/policy-file.js';
import type { RequestReader } from './compile-context.js';
import type { Customers } from './customers.js';
import { requestOf, textOf } from './request-value.js';

/** Who sends a request: the key, and the customer that has it. */
export interface Caller {
  /** Undefined if the request does not have this key. */
  readonly key: Key | undefined;
  /** Undefined if no customer has the key. */
  readonly customer: CustomerRule | undefined;
}

/** Reads who sends a request. */
export type CallerReader<Req extends object> = (request: Req) => Caller;

const NOBODY: Caller = { key: undefined, customer: undefined };

/** Returns the function that reads a key and its customer. */
export function callerReader<Req extends object>(
  rule: KeyRule,
  customers: Customers | undefined,
  read: RequestReader<Req, Key | undefined> | undefined,
): CallerReader<Req> {
  switch (rule.from) {
    case 'header':
      return headerCaller(rule.header.toLowerCase(), customers);
    case 'ip':
      return addressCaller(rule.ipv6Subnet, customers);
    case 'code':
      return codeCaller(customers, read);
    case 'everyone': {
      const caller: Caller = { key: everyone()(), customer: undefined };
      return () => caller;
    }
  }
}

/** Callers that are remembered: enough for those who come often, and at most some two megabytes. */
const MOST_REMEMBERED = 4096;

/** A longer value is no key that comes often, and many of them would fill the memory. */
const LONGEST_REMEMBERED = 128;

/**
 * Remembers callers, because a hash takes as long as the rest of a decision. The last one is found without a search: the limits of
 * a policy ask one after another about the same request.
 */
function headerCaller(field: string, customers: Customers | undefined): CallerReader<object> {
  const remembered = new Map<string, Caller>();
  let lastValue: unknown;
  let last = NOBODY;
  return (request) => {
    const value = requestOf(request).headers[field];
    if (typeof value === 'string' && value === lastValue) return last;
    const text = textOf(value);
    if (text === undefined) return NOBODY;
    let caller = remembered.get(text);
    if (!caller) {
      caller = { key: headerKey(field, text), customer: customers?.find(text) };
      // Whoever makes up keys fills it in vain.
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      if (text.length <= LONGEST_REMEMBERED) remembered.set(text, caller);
    }
    last = caller;
    lastValue = value;
    return caller;
  };
}

function addressCaller(ipv6Subnet: number, customers: Customers | undefined): CallerReader<object> {
  const read = byIp({ ipv6Subnet });
  return (request) => {
    const key = read(requestOf(request));
    if (!Array.isArray(key)) return NOBODY;
    return { key, customer: customers?.find(String(key[1])) };
  };
}

function codeCaller<Req extends object>(
  customers: Customers | undefined,
  read: RequestReader<Req, Key | undefined> | undefined,
): CallerReader<Req> {
  return (request) => {
    const key = read?.(request);
    if (key === undefined || key === null) return NOBODY;
    return { key, customer: typeof key === 'object' ? undefined : customers?.find(String(key)) };
  };
}
