import { isIP } from 'node:net';
import type { KeyRule } from '@sluice/config';
import { everyone, type Key } from '@sluice/core';
import { headerKey, ipKey } from '@sluice/core/http';
import type { GivenPart } from './given-key.js';

/** The parts of a request in which a policy finds this part of the key. */
export interface CallParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
  readonly keys?: Readonly<Record<string, Key>>;
}

/** One part of a key. */
export interface ResolvedPart {
  /** As stores count it. */
  readonly key: Key;
  /** Undefined if only the hash of the value is known, so that no request can be made of it. */
  readonly call: CallParts | undefined;
}

/** Why a value is no key of this kind: a rule, which begins with `must`. */
interface WrongPart {
  readonly rule: string;
}

const HASHED = /^sha256:([0-9a-f]{64})$/i;

/** Makes a part of a key of what an operator has written. */
export function resolvePart(name: string, rule: KeyRule, given: GivenPart): ResolvedPart | WrongPart {
  switch (rule.from) {
    case 'header':
      return headerPart(rule.header, given);
    case 'ip':
      return addressPart(given, rule.ipv6Subnet);
    case 'code':
      return { key: given, call: { keys: { [name]: given } } };
    case 'everyone':
      return { key: everyone()(), call: {} };
  }
}

function headerPart(header: string, given: GivenPart): ResolvedPart | WrongPart {
  if (typeof given !== 'string') return { rule: `must be text: the value of the header field ${header}` };
  const field = header.toLowerCase();
  const [, hex] = HASHED.exec(given) ?? [];
  if (hex === undefined) return { key: headerKey(field, given), call: { headers: { [field]: given } } };
  return { key: hashedHeaderKey(field, Buffer.from(hex, 'hex')), call: undefined };
}

/** Stores know a header field by the hash of its value, in base64url: see `headerKey`. */
function hashedHeaderKey(field: string, hash: Buffer): Key {
  return ['header', field, hash.toString('base64url')];
}

/** An address, or the subnet that an address counts by. */
function addressPart(given: GivenPart, ipv6Subnet: number): ResolvedPart | WrongPart {
  const text = typeof given === 'string' ? given : '';
  const subnet = `/${ipv6Subnet}`;
  const ip = text.includes(':') && text.endsWith(subnet) ? text.slice(0, -subnet.length) : text;
  if (isIP(ip) === 0) return { rule: `must be an IP address; IPv6 counts by subnets of ${ipv6Subnet} bits` };
  return { key: ipKey(ip, ipv6Subnet), call: { ip } };
}
