import type { Note } from '../conversion.js';
import { ADDRESS, keyFromCode, keyFromHeader, type NamedKey } from '../named-key.js';
import { variablesOf } from './variables.js';

const ADDRESSES = new Set(['$binary_remote_addr', '$remote_addr', '$realip_remote_addr']);

/** Equal for all requests that one place of the configuration is for. */
const CONSTANT = new Set(['$server_name', '$server_addr', '$server_port', '$hostname', '$nginx_version', '$scheme']);

/** For a file with limits by address. */
export const ADDRESS_NOTE: Note = {
  kind: 'differs',
  text: 'nginx counts each IPv6 address by itself, and one client has billions of them. Here the key address counts a /56 network. To count as nginx does, add the key { ip: { ipv6Subnet: 128 } }. IPv4 is the same',
};

/** Returns the keys that the template of a zone is made of: one for each variable. None means everyone. */
export function keysOf(template: string): readonly NamedKey[] {
  const keys = [...new Set(variablesOf(template))].filter((variable) => !CONSTANT.has(variable)).map(keyOf);
  const seen = new Set<string>();
  return keys.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Returns whether a variable is the address of the client. */
export const isAddress = (variable: string): boolean => ADDRESSES.has(variable);

/** Returns the header field that a variable is, in lower case; undefined if it is something else. */
export function headerOf(variable: string): string | undefined {
  if (variable === '$host' || variable === '$http_host') return 'host';
  return variable.startsWith('$http_') ? variable.slice('$http_'.length).replaceAll('_', '-') : undefined;
}

function keyOf(variable: string): NamedKey {
  if (isAddress(variable)) return ADDRESS;
  const header = headerOf(variable);
  if (!header) return keyFromCode(variable, `${variable} of nginx, which does not count a request without it`);
  return headerKey(header);
}

/** Returns the key of a header field. */
export function headerKey(header: string): NamedKey {
  if (header === 'host') return keyFromHeader(header);
  const text = `nginx does not count a request without ${header}; here it counts by its address`;
  const notes: Note[] = [{ kind: 'differs', text }];
  if (header === 'x-forwarded-for')
    notes.push({
      kind: 'differs',
      text: 'every client can send this field as it likes, and gets a new key with each value. Better count by address, and tell the framework which proxies it may believe',
    });
  return keyFromHeader(header, notes);
}
