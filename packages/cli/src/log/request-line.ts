import { METHODS } from 'node:http';

const KNOWN = new Set(METHODS);

/** The method and the path of a request. */
export interface RequestLine {
  method: string;
  url: string;
}

/**
 * Reads `GET /v1/items?page=2 HTTP/1.1` into `target`. Returns false if it is no request that a server of Node accepts: bytes
 * of TLS, a method that nobody knows, nothing.
 */
export function readRequestLine(text: string, target: RequestLine): boolean {
  const first = text.indexOf(' ');
  const last = protocolOf(text);
  const end = last > first ? last : text.length;
  // Most lines have the method of the line before, and looking up a new text takes long.
  if (target.method.length !== first || !text.startsWith(target.method)) {
    target.method = first < 0 ? '' : text.slice(0, first);
  }
  target.url = first < 0 ? '' : text.slice(first + 1, end);
  return isRequest(target);
}

/** The length of ` HTTP/1.1` and of the other versions that have a point. */
const USUAL = 9;

/** Returns where the last ` HTTP/` begins; -1 if there is none. */
function protocolOf(text: string): number {
  const usual = text.length - USUAL;
  return usual >= 0 && text.startsWith(' HTTP/', usual) ? usual : text.lastIndexOf(' HTTP/');
}

/** Whether this is a request that a server of Node accepts. An absolute URL is reduced to its path. */
export function isRequest(target: RequestLine): boolean {
  const { method, url } = target;
  if (KNOWN.has(method) && url !== '') {
    if (!url.startsWith('/')) target.url = pathOf(url);
    return true;
  }
  target.method = '';
  return false;
}

/** Removes scheme and host of `http://example.com/path`, which proxies are sent. */
function pathOf(url: string): string {
  const scheme = /^https?:\/\/[^/?#]*/i.exec(url);
  if (!scheme) return url;
  const rest = url.slice(scheme[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
