import type { IncomingHttpHeaders } from 'node:http';
import { firstJsonPath, type JsonReader, jsonPath, memberOf, textOf } from './json-path.js';
import type { LineFormat, LineReader, WantedFields } from './line-format.js';
import { hasFraction, isLogTime, readIsoTime, readLocalTime, readSeconds } from './log-time.js';
import { LoggedRequest } from './logged-request.js';
import { isRequest, type RequestLine, readRequestLine } from './request-line.js';

/** Where programs write what: nginx, pino-http, Caddy, Traefik, Envoy, and loggers with fields of their own. */
const TIME = ['msec', 'time', 'ts', 'timestamp', '@timestamp', 'time_iso8601', 'time_local', 'start_time', 'StartUTC'];
const METHOD = ['method', 'request_method', 'req.method', 'request.method', 'http.request.method', 'RequestMethod'];
const URL = ['url', 'request_uri', 'uri', 'path', 'req.url', 'request.uri', 'request.url', 'url.path', 'RequestPath'];
const STATUS = ['status', 'statusCode', 'status_code', 'res.statusCode', 'response.status', 'DownstreamStatus'];
const ADDRESS = [
  'remote_addr',
  'ip',
  'client_ip',
  'remote_ip',
  'remoteAddress',
  'req.ip',
  'req.remoteAddress',
  'request.client_ip',
  'request.remote_ip',
  'client.ip',
  'ClientHost',
];
const HEADERS = ['headers', 'req.headers', 'request.headers', 'request_headers'];

/** How long a request took, and how many milliseconds its unit has. Fields whose unit nobody states are not read. */
const DURATIONS: readonly (readonly [path: string, unitMs: number])[] = [
  ['request_time', 1000],
  ['responseTime', 1],
  ['response_time_ms', 1],
  ['duration_ms', 1],
  ['durationMs', 1],
  ['latency_ms', 1],
  ['elapsed_ms', 1],
];

/** Lines of JSON, one request in each. */
export const jsonFormat: LineFormat = {
  name: 'json',
  statesStart: true,
  hasHeader: () => undefined,
  hasValue: () => undefined,
  reader: readerOf,
};

function readerOf(wanted: WantedFields): LineReader {
  const [timeOf, methodOf, urlOf, statusOf, addressOf] = [TIME, METHOD, URL, STATUS, ADDRESS].map(firstJsonPath) as [
    JsonReader,
    JsonReader,
    JsonReader,
    JsonReader,
    JsonReader,
  ];
  const durationOf = durationReader();
  const requestOf = jsonPath('request');
  const headersOf = headersReader(wanted.headers);
  const values = wanted.values.map(jsonPath);
  const request: RequestLine = { method: '', url: '' };

  return (text) => {
    const line = parsed(text);
    if (line === undefined) return undefined;
    const time = timeOf(line);
    const writtenMs = timeMsOf(time);
    const atMs = Math.round(writtenMs - durationOf(line));
    if (!isLogTime(writtenMs) || !isLogTime(atMs)) return undefined;
    const url = urlOf(line);
    const whole = url === undefined ? requestOf(line) : undefined;
    if (typeof url !== 'string' && typeof whole !== 'string') return undefined;
    request.method = textOf(methodOf(line)) ?? 'GET';
    request.url = String(url);
    const hasReached = typeof whole === 'string' ? readRequestLine(whole, request) : isRequest(request);
    return new LoggedRequest(
      atMs,
      writtenMs,
      request.method,
      request.url,
      textOf(addressOf(line)),
      Number(statusOf(line) ?? 0) || 0,
      headersOf(line),
      values.map((read) => textOf(read(line))),
      isExactTime(time),
      hasReached,
    );
  };
}

/** Each character of a line stands for a byte, so that no line is broken by bytes that are no text. JSON is UTF-8. */
const BEYOND_ASCII = /[\x80-\xff]/;

function parsed(text: string): object | undefined {
  try {
    const line: unknown = JSON.parse(BEYOND_ASCII.test(text) ? decoded(text) : text);
    return typeof line === 'object' && line !== null ? line : undefined;
  } catch {
    return undefined;
  }
}

// As a Buffer does, it leaves a mark of the byte order where it is.
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

function decoded(text: string): string {
  return UTF_8.decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0)));
}

/** Reads text of ISO 8601 or of nginx, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970. */
function timeMsOf(time: unknown): number {
  if (typeof time === 'number') return msOf(time);
  if (typeof time !== 'string') return Number.NaN;
  const seconds = readSeconds(time);
  if (!Number.isNaN(seconds)) return time.includes('.') ? seconds : msOf(Number(time));
  const iso = readIsoTime(time);
  return Number.isNaN(iso) ? readLocalTime(time) : iso;
}

/** By its size: until the year 5138, a number of seconds is below 1e11, and one of milliseconds is not since 1973. */
function msOf(time: number): number {
  if (time < 1e11) return Math.round(time * 1000);
  if (time < 1e14) return Math.floor(time);
  return Math.floor(time < 1e17 ? time / 1e3 : time / 1e6);
}

function isExactTime(time: unknown): boolean {
  if (typeof time === 'number') return time >= 1e11 || !Number.isInteger(time);
  const text = String(time);
  return hasFraction(text) || /^\d{13,}$/.test(text);
}

function durationReader(): (line: object) => number {
  const readers = DURATIONS.map(([path, unitMs]) => [jsonPath(path), unitMs] as const);
  return (line) => {
    for (const [read, unitMs] of readers) {
      const value = read(line);
      const units = typeof value === 'string' ? Number.parseFloat(value) : value;
      if (typeof units === 'number' && units >= 0) return units * unitMs;
    }
    return 0;
  };
}

/** Reads header fields from an object of them, whatever the case of their names, or from fields such as `http_x_plan`. */
function headersReader(wanted: readonly string[]): (line: object) => IncomingHttpHeaders {
  const objectOf = firstJsonPath(HEADERS);
  const fields = wanted.map((name) => [name, jsonPath(`http_${name.replaceAll('-', '_')}`)] as const);
  return (line) => {
    const found: IncomingHttpHeaders = {};
    if (fields.length === 0) return found;
    const headers = objectOf(line);
    for (const [name, readField] of fields) {
      found[name] = textOf(memberOf(headers, name) ?? memberInAnyCase(headers, name) ?? readField(line));
    }
    return found;
  };
}

function memberInAnyCase(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const own = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return own === undefined ? undefined : memberOf(headers, own);
}
