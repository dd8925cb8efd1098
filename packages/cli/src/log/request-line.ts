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
  const last = text.lastIndexOf(' HTTP/');
  const end = last > first ? last : text.length;
  target.method = first < 0 ? '' : text.slice(0, first);
  target.url = first < 0 ? '' : text.slice(first + 1, end);
  return isRequest(target);
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
