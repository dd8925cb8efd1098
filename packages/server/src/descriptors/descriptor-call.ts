import { isIP } from 'node:net';
import type { Key } from '@sluice/core';
import { OpenRecord } from '../input/open-record.js';
import type { CallKind, ServiceCall } from '../service/service-call.js';
import type { Caller } from './caller.js';
import type { Descriptor, DescriptorEntry } from './rate-limit-request.js';
import { RequestMistake, type RequestPath } from './request-mistake.js';

/** More than any balancer sends, and few enough to read all of them. */
const MOST_ENTRIES = 100;

/** The parts of a request, or where to ask. Each comes at most once in a descriptor. */
interface Parts {
  policy?: string;
  ip?: string;
  method?: string;
  url?: string;
  tier?: string;
  authority?: string;
}

/** The entries that mean a part. */
const PARTS: ReadonlyMap<string, keyof Parts> = new Map([
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

/** How a descriptor counts. */
interface Spend {
  readonly kind: CallKind;
  readonly cost?: number | undefined;
  readonly operationId?: string | undefined;
}

/** A descriptor, as a call of the service: its entries are the facts about the request that somebody asks about. */
export class DescriptorCall implements ServiceCall {
  readonly kind: CallKind;
  /** The policy that the entries name. */
  readonly policy: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly ip: string | undefined;
  readonly tier: string | undefined;
  readonly cost: number | undefined;
  readonly operationId: string | undefined;
  readonly socket: { readonly remoteAddress: string | undefined };
  readonly #entries: readonly DescriptorEntry[];
  readonly #authority: string | undefined;
  #headers: ServiceCall['headers'] | undefined;
  #keys: Readonly<Record<string, Key>> | undefined;

  /**
   * Reads the entries of a descriptor.
   *
   * @param path - where the descriptor is in the request
   * @throws RequestMistake
   */
  constructor({ entries }: Descriptor, path: RequestPath, spend: Spend, caller: Caller) {
    const parts = partsOf(entries, path);
    this.kind = spend.kind;
    this.policy = parts.policy;
    this.method = parts.method ?? 'GET';
    this.url = parts.url ?? '/';
    this.ip = parts.ip;
    this.tier = parts.tier;
    this.cost = spend.cost;
    this.operationId = spend.operationId;
    this.socket = { remoteAddress: caller.address };
    this.#entries = entries;
    this.#authority = parts.authority;
  }

  /** Every entry is a header field, too. Few policies read one. */
  get headers(): ServiceCall['headers'] {
    this.#headers ??= headersOf(this.#entries, this.#authority);
    return this.#headers;
  }

  /** Every entry is a key, too, for a policy that takes its key from code. */
  get keys(): Readonly<Record<string, Key>> {
    this.#keys ??= keysOf(this.#entries);
    return this.#keys;
  }
}

function partsOf(entries: readonly DescriptorEntry[], path: RequestPath): Parts {
  if (entries.length === 0 || entries.length > MOST_ENTRIES) {
    const rule = `must have 1 to ${MOST_ENTRIES} entries, got ${entries.length}`;
    throw new RequestMistake([...path, 'entries'], rule);
  }
  const parts: Parts = {};
  for (let i = 0; i < entries.length; i += 1) {
    const { key, value } = entries[i] as DescriptorEntry;
    if (!key) throw new RequestMistake([...path, 'entries', i, 'key'], 'must not be empty');
    const part = PARTS.get(key);
    if (part === undefined) continue;
    if (parts[part] !== undefined) throw new RequestMistake([...path, 'entries', i], 'repeats an earlier entry');
    parts[part] = part === 'ip' ? addressOf(value, [...path, 'entries', i, 'value']) : (value ?? '');
  }
  return parts;
}

/** Envoy masks addresses as `192.0.2.0/24`: the first address stands for the network. */
const ADDRESS = /^([^/]+)(?:\/\d{1,3})?$/;

function addressOf(value: string | undefined, path: RequestPath): string {
  const [, address = ''] = ADDRESS.exec(value ?? '') ?? [];
  if (isIP(address) === 0) throw new RequestMistake(path, 'must be an IP address, like 203.0.113.7');
  return address;
}

/** The values of a repeated entry are one key together. An entry without a value is no key: everybody would have the same. */
function keysOf(entries: readonly DescriptorEntry[]): Readonly<Record<string, Key>> {
  const keys = new OpenRecord<Key>();
  for (const { key: name, value } of entries) {
    if (!name || !value) continue;
    const before = keys[name];
    keys[name] =
      before === undefined ? value : typeof before === 'string' ? [before, value] : [...(before as Key[]), value];
  }
  return keys;
}

function headersOf(entries: readonly DescriptorEntry[], authority: string | undefined): ServiceCall['headers'] {
  const headers = new OpenRecord<string | string[]>();
  for (const { key, value } of entries) {
    if (!key || !value) continue;
    const name = key.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? value : ([] as string[]).concat(before, value);
  }
  if (authority !== undefined) headers.host = authority;
  return headers;
}
