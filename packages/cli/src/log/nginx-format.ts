import type { IncomingHttpHeaders } from 'node:http';
import { unescaped } from './escapes.js';
import type { LineFormat, LineReader, WantedFields } from './line-format.js';
import { isLogTime, readIsoTime, readLocalTime, readSeconds } from './log-time.js';
import { LoggedRequest } from './logged-request.js';
import { isRequest, type RequestLine, readRequestLine } from './request-line.js';
import { LineSplitter } from './split-line.js';
import { LogFormatError, readTemplate, type Template } from './template.js';

const NO_HEADERS: IncomingHttpHeaders = Object.freeze({});
const NO_VALUES: readonly string[] = Object.freeze([]);

/** Variables that are empty for a request which nginx answered without asking the application. */
const UPSTREAM = ['upstream_addr', 'upstream_status', 'upstream_response_time', 'upstream_connect_time'];

/**
 * Makes a format of an nginx `log_format`.
 *
 * @param name - for people. Default: the text itself
 * @throws LogFormatError if the format has no time or no request, or cannot be read back
 */
export function nginxFormat(text: string, name = text): LineFormat {
  const template = readTemplate(text);
  const indexes = new Map(template.parts.map(({ variable }, i) => [variable, i]));
  const has = (variable: string): boolean => indexes.has(variable);
  if (!has('msec') && !has('time_local') && !has('time_iso8601')) {
    throw new LogFormatError(`the log format has no time: add $msec, or $time_local: ${text}`);
  }
  if (!has('request') && !has('request_uri') && !has('uri')) {
    throw new LogFormatError(`the log format has no request: add "$request": ${text}`);
  }
  return {
    name,
    statesStart: has('request_time'),
    hasHeader: (header) => has(variableOf(header)),
    hasValue: has,
    reader: (wanted) => readerOf(template, indexes, wanted),
  };
}

/** The variable of nginx that has a header field. */
function variableOf(header: string): string {
  return `http_${header.replaceAll('-', '_')}`;
}

function readerOf(template: Template, indexes: ReadonlyMap<string, number>, wanted: WantedFields): LineReader {
  const splitter = new LineSplitter(template);
  const { starts, ends } = splitter;
  const indexOf = (variable: string): number => indexes.get(variable) ?? -1;
  const undo = template.escape === 'none' ? (value: string) => value : unescaped;
  let line = '';

  const raw = (at: number): string => line.slice(starts[at], ends[at]);
  /** The value of a field; undefined if it is empty, or `-`, by which nginx writes that there is none. */
  const value = (at: number): string | undefined => {
    if (at < 0) return undefined;
    const text = raw(at);
    return text === '' || text === '-' ? undefined : undo(text);
  };

  const readTime = timeReader(indexOf, () => line, splitter);
  const duration = indexOf('request_time');
  const durationOf = (): number => {
    if (duration < 0) return 0;
    const ms = readSeconds(line, starts[duration], ends[duration]);
    return Number.isNaN(ms) ? 0 : ms;
  };
  const request: RequestLine = { method: '', url: '' };
  const readRequest = requestReader(indexOf, value, request);
  const status = indexOf('status');
  const address = indexOf('remote_addr');
  const headers = wanted.headers.map((header) => [header, indexOf(variableOf(header))] as const);
  const headersOf = (): IncomingHttpHeaders => {
    if (headers.length === 0) return NO_HEADERS;
    const found: IncomingHttpHeaders = {};
    for (const [header, at] of headers) found[header] = value(at);
    return found;
  };
  const values = wanted.values.map(indexOf);
  const valuesOf = (): readonly (string | undefined)[] => (values.length === 0 ? NO_VALUES : values.map(value));
  const upstream = UPSTREAM.map(indexOf).find((at) => at >= 0) ?? -1;
  const isExact = indexes.has('msec');

  const readFields = (): LoggedRequest | undefined => {
    const writtenMs = readTime();
    const code = status < 0 ? 0 : readNumber(line, starts[status] as number, ends[status] as number);
    const atMs = writtenMs - durationOf();
    if (!isLogTime(writtenMs) || !isLogTime(atMs) || !(code >= 0)) return undefined;
    const isHttp = readRequest();
    const hasReached = isHttp && (upstream < 0 || value(upstream) !== undefined);
    const { method, url } = request;
    return new LoggedRequest(
      atMs,
      writtenMs,
      method,
      url,
      value(address),
      code,
      headersOf(),
      valuesOf(),
      isExact,
      hasReached,
    );
  };

  return (text) => {
    line = text;
    const read = splitter.split(text) ? readFields() : undefined;
    return read ?? (splitter.splitByShape(text) ? readFields() : undefined);
  };
}

/** Like `Number`, and faster for a number such as a status. */
function readNumber(line: string, from: number, end: number): number {
  let value = 0;
  for (let i = from; i < end; i += 1) {
    const digit = line.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number(line.slice(from, end));
    value = value * 10 + digit;
  }
  return value;
}

/** Makes the function that reads the time of a line, by the most exact variable that the format has. */
function timeReader(
  indexOf: (variable: string) => number,
  line: () => string,
  { starts, ends }: LineSplitter,
): () => number {
  const msec = indexOf('msec');
  if (msec >= 0) return () => readSeconds(line(), starts[msec], ends[msec]);
  const local = indexOf('time_local');
  const at = local >= 0 ? local : indexOf('time_iso8601');
  const read = local >= 0 ? readLocalTime : readIsoTime;
  // Most lines have the time of the line before.
  let lastText = '\0';
  let lastMs = Number.NaN;
  return () => {
    if (line().startsWith(lastText, starts[at])) return lastMs;
    const text = line().slice(starts[at], ends[at]);
    const ms = read(text);
    if (Number.isNaN(ms)) return ms;
    // A part of the text of a whole chunk would keep the chunk in memory, so it is made again of its characters.
    lastText = text.split('').join('');
    lastMs = ms;
    return ms;
  };
}

/** Makes the function that reads the request of a line. */
function requestReader(
  indexOf: (variable: string) => number,
  value: (at: number) => string | undefined,
  request: RequestLine,
): () => boolean {
  const whole = indexOf('request');
  if (whole >= 0) return () => readRequestLine(value(whole) ?? '', request);
  const method = indexOf('request_method');
  const uri = indexOf('request_uri') >= 0 ? indexOf('request_uri') : indexOf('uri');
  return () => {
    request.method = method < 0 ? 'GET' : (value(method) ?? '');
    request.url = value(uri) ?? '';
    return isRequest(request);
  };
}
