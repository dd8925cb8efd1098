import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Key } from '@sluice/core';

/** The request that the service decides about. A request of Node, or of any framework, is one. */
export interface DecisionSubject {
  /** Default: `'GET'`. */
  readonly method?: string;
  /** The path, with its query. Default: `'/'`. */
  readonly url?: string;
  /** The address of the client. A policy that counts by address needs it. */
  readonly ip?: string | undefined;
  /** The names are in lower case, as in Node. Only those that the option `headers` names are sent. */
  readonly headers?: IncomingHttpHeaders;
  /** The values of keys that the policy takes from code, by their names. */
  readonly keys?: Readonly<Record<string, Key>>;
  /** The tier, if the policy takes it from code. */
  readonly tier?: string;
}

/** The longest text that the service accepts. A longer text is cut, so that nobody gets past a limit by a text that is refused. */
const LONGEST = 8192;

/** The part of a call that describes the request. */
interface DescribedRequest {
  readonly method: string;
  readonly path: string;
  readonly address?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * Describes a request as the service reads it.
 *
 * @param names - the header fields to send, in lower case
 */
export function describedRequest(subject: DecisionSubject, names: readonly string[]): DescribedRequest {
  const { ip } = subject;
  const headers = names.length === 0 ? undefined : sentFields(subject.headers, names);
  return {
    method: methodOf(subject.method),
    path: pathOf(subject),
    ...(ip !== undefined && isIP(ip) !== 0 && { address: ip }),
    ...(headers && { headers }),
  };
}

function methodOf(method = 'GET'): string {
  const upper = method.toUpperCase();
  return /^[A-Z][A-Z-]{0,31}$/.test(upper) ? upper : 'OTHER';
}

/** Below a router of Express, `url` lacks the path of the router. */
function pathOf({ url = '/', originalUrl }: DecisionSubject & { readonly originalUrl?: unknown }): string {
  const full = typeof originalUrl === 'string' ? originalUrl : url;
  // A proxy's form of the URL has the origin before the path.
  const path = full.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  const rooted = path.startsWith('/') || path === '*' ? path : `/${path}`;
  return /[^!-~]/.test(rooted) ? encodeURI(rooted.toWellFormed()).slice(0, LONGEST) : rooted.slice(0, LONGEST);
}

function sentFields(
  headers: IncomingHttpHeaders = {},
  names: readonly string[],
): Record<string, string | readonly string[]> | undefined {
  const known = names.flatMap((name) => {
    const value = headers[name];
    if (value === undefined || value.length === 0) return [];
    return [[name, typeof value === 'string' ? value.slice(0, LONGEST) : value.map(cut)] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function cut(value: string): string {
  return value.slice(0, LONGEST);
}
