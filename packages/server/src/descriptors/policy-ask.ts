import { isIP } from 'node:net';
import type { Key } from '@sluice/core';
import type { ServiceCall } from '../service/service-call.js';
import { type Caller, OPERATION_ID_FIELD } from './caller.js';
import type { Descriptor, RateLimitRequest } from './rate-limit-request.js';
import { RequestMistake, type RequestPath } from './request-mistake.js';

/** A descriptor, as a question to a policy. */
export interface PolicyAsk {
  readonly policy: string;
  readonly call: ServiceCall;
}

/** More than any balancer sends, and few enough to read all of them. */
const MOST_DESCRIPTORS = 100;
const MOST_ENTRIES = 100;

/**
 * Returns what to ask which policy: one question for each descriptor, in their order. Decision record 075 has the rules.
 *
 * @throws RequestMistake
 */
export function policyAsks({ domain, descriptors, hitsAddend }: RateLimitRequest, caller: Caller): PolicyAsk[] {
  if (!domain) throw new RequestMistake(['domain'], 'must not be empty');
  if (descriptors.length === 0 || descriptors.length > MOST_DESCRIPTORS) {
    const rule = `must have 1 to ${MOST_DESCRIPTORS} descriptors, got ${descriptors.length}`;
    throw new RequestMistake(['descriptors'], rule);
  }
  checkOperationId(caller.operationId);
  // Without presence on the wire, 0 is the same as no number.
  const cost = hitsAddend ? unitsOf(hitsAddend, ['hits_addend']) : undefined;
  return descriptors.map((descriptor, i) => policyAsk(descriptor, i, { domain, cost, caller }));
}

/** What the descriptors of a request share. */
interface Shared {
  readonly domain: string;
  readonly cost: number | undefined;
  readonly caller: Caller;
}

function policyAsk(descriptor: Descriptor, index: number, { domain, cost, caller }: Shared): PolicyAsk {
  const path: RequestPath = ['descriptors', index];
  if (descriptor.limit) {
    const rule = 'must be absent: the policy file has the limits. Remove the override from the rate limit action';
    throw new RequestMistake([...path, 'limit'], rule);
  }
  if (descriptor.isNegativeHits) {
    const rule = 'must be false: hits are not given back here. Settle a reservation of /v1/decisions instead';
    throw new RequestMistake([...path, 'is_negative_hits'], rule);
  }
  const own = descriptor.hitsAddend && unitsOf(descriptor.hitsAddend.value ?? 0, [...path, 'hits_addend']);
  const units = own || cost;
  const { policy, ...facts } = factsOf(descriptor, path);
  return {
    policy: policyName(domain, policy),
    call: {
      kind: own === 0 ? 'peek' : 'consume',
      ...facts,
      socket: { remoteAddress: caller.address },
      ...(own !== 0 && units !== undefined && { cost: units }),
      ...(own !== 0 && caller.operationId !== undefined && { operationId: operationIdOf(caller.operationId, index) }),
    },
  };
}

/** A domain that ends with a dot is the beginning of the names of its policies. */
function policyName(domain: string, policy: string | undefined): string {
  if (policy === undefined) return domain;
  return domain.endsWith('.') ? domain + policy : policy;
}

/** 1 to 128 visible characters. */
const OPERATION_ID = /^[!-~]{1,128}$/;

function checkOperationId(id: string | undefined): void {
  if (id === undefined || OPERATION_ID.test(id)) return;
  throw new RequestMistake([OPERATION_ID_FIELD], 'must be 1 to 128 visible ASCII characters');
}

/** Each descriptor is an operation of its own. */
function operationIdOf(id: string, index: number): string {
  return index === 0 ? id : `${id}/${index}`;
}

function unitsOf(value: number, path: RequestPath): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RequestMistake(path, `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

/** What the entries of a descriptor tell of a request. */
interface Facts extends Pick<ServiceCall, 'method' | 'url' | 'headers' | 'ip' | 'keys' | 'tier'> {
  readonly policy?: string;
}

type Part = 'policy' | 'ip' | 'method' | 'url' | 'tier' | 'authority';

/** The entries that mean a part of the request, or where to ask. Each part comes at most once. */
const PARTS: ReadonlyMap<string, Part> = new Map([
  ['policy', 'policy'],
  ['remote_address', 'ip'],
  ['masked_remote_address', 'ip'],
  ['method', 'method'],
  [':method', 'method'],
  ['path', 'url'],
  [':path', 'url'],
  [':authority', 'authority'],
  ['tier', 'tier'],
]);

/** Names come from callers, and none of them may reach a prototype. */
function emptyRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function factsOf({ entries }: Descriptor, path: RequestPath): Facts {
  if (entries.length === 0 || entries.length > MOST_ENTRIES) {
    const rule = `must have 1 to ${MOST_ENTRIES} entries, got ${entries.length}`;
    throw new RequestMistake([...path, 'entries'], rule);
  }
  const keys = emptyRecord<Key>();
  const headers = emptyRecord<string | string[]>();
  const parts: Partial<Record<Part, string>> = {};
  for (let i = 0; i < entries.length; i += 1) {
    const { key, value } = entries[i] as Descriptor['entries'][number];
    if (!key) throw new RequestMistake([...path, 'entries', i, 'key'], 'must not be empty');
    const part = PARTS.get(key);
    if (part !== undefined) {
      if (parts[part] !== undefined) throw new RequestMistake([...path, 'entries', i], 'repeats an earlier entry');
      parts[part] = part === 'ip' ? addressOf(value, [...path, 'entries', i, 'value']) : (value ?? '');
    }
    // An entry without a value is no key: everybody would have the same.
    if (value) {
      addKey(keys, key, value);
      addField(headers, key.toLowerCase(), value);
    }
  }
  const { authority, method = 'GET', url = '/', ...others } = parts;
  if (authority !== undefined) headers.host = authority;
  return { method, url, headers, keys, ...others };
}

/** The values of a repeated entry are one key together. */
function addKey(keys: Record<string, Key>, name: string, value: string): void {
  const before = keys[name];
  keys[name] =
    before === undefined ? value : typeof before === 'string' ? [before, value] : [...(before as Key[]), value];
}

function addField(headers: Record<string, string | string[]>, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : ([] as string[]).concat(before, value);
}

/** Envoy masks addresses as `192.0.2.0/24`: the first address stands for the network. */
function addressOf(value: string | undefined, path: RequestPath): string {
  const [address = ''] = value?.split('/', 1) ?? [];
  if (isIP(address) === 0) throw new RequestMistake(path, 'must be an IP address, like 203.0.113.7');
  return address;
}
