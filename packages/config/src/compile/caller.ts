import { everyone, type Key } from '@sluice/core';
import { byIp, fieldOf, headerKey } from '@sluice/core/http';
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
    case 'header': {
      const field = rule.header.toLowerCase();
      return lastKept(field, customers ? customerCaller(field, customers) : headerCaller(field));
    }
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

/**
 * Reads a header field. The last caller is found without a search, because the limits of a policy ask one after another about the
 * same request.
 */
function lastKept(field: string, callerOf: (value: string) => Caller): CallerReader<object> {
  let lastValue: unknown;
  let last = NOBODY;
  return (request) => {
    const value = fieldOf(requestOf(request), field);
    if (typeof value === 'string' && value === lastValue) return last;
    const text = textOf(value);
    if (text === undefined) return NOBODY;
    last = callerOf(text);
    lastValue = value;
    return last;
  };
}

/**
 * Remembers the customers that have come, because a hash takes as long as the rest of a decision. There are at most as many as in
 * the file; others are not remembered.
 */
function customerCaller(field: string, customers: Customers): (value: string) => Caller {
  const remembered = new Map<string, Caller>();
  return (value) => {
    const known = remembered.get(value);
    if (known) return known;
    const caller = { key: headerKey(field, value), customer: customers.find(value) };
    if (caller.customer) remembered.set(value, caller);
    return caller;
  };
}

/** Callers that are remembered without a list of customers: enough for those who come often, and at most some two megabytes. */
const MOST_REMEMBERED = 4096;

/** A longer value is no key that comes often, and many of them would fill the memory. */
const LONGEST_REMEMBERED = 128;

/** Remembers callers of whom no list is known. */
function headerCaller(field: string): (value: string) => Caller {
  const remembered = new Map<string, Caller>();
  return (value) => {
    const known = remembered.get(value);
    if (known) return known;
    const caller: Caller = { key: headerKey(field, value), customer: undefined };
    // Whoever makes up keys fills it in vain.
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    if (value.length <= LONGEST_REMEMBERED) remembered.set(value, caller);
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
