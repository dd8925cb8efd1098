import { isIP } from 'node:net';
import type { Key } from '@sluice/core';
import type { ServiceCall } from '../service/service-call.js';
import type { Descriptor } from './rate-limit-request.js';
import { RequestMistake, type RequestPath } from './request-mistake.js';

/** More than any balancer sends, and few enough to read all of them. */
const MOST_ENTRIES = 100;

/** The facts about a request that the entries of a descriptor contain. */
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

/**
 * Reads the entries of a descriptor.
 *
 * @param path - where the descriptor is in the request
 * @throws RequestMistake
 */
export function factsOf({ entries }: Descriptor, path: RequestPath): Facts {
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
const ADDRESS = /^([^/]+)(?:\/\d{1,3})?$/;

function addressOf(value: string | undefined, path: RequestPath): string {
  const [, address = ''] = ADDRESS.exec(value ?? '') ?? [];
  if (isIP(address) === 0) throw new RequestMistake(path, 'must be an IP address, like 203.0.113.7');
  return address;
}
