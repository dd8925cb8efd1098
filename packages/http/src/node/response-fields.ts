import { type HttpResponse, isFields, isReply, NodesResponse, rawOf } from './response.js';

/** Sets a header field of `this`: a method of a response, or of the fields of one. */
export type SetField<T extends object> = (this: T, name: string, value: string) => unknown;

/** Header fields that are written straight to a response, without a record of them. `D` is the data that they state. */
export interface WritableFields<D> {
  write<T extends object>(target: T, set: SetField<T>, data: D, waitSeconds?: number): void;
}

/** Fields with their names as usual, and in lower case, as a reply keeps them. */
export interface WrittenFields<D> {
  readonly fields: WritableFields<D>;
  readonly replyFields: WritableFields<D>;
}

/** Writes header fields to a response, unless it was begun. */
export function writeFields<D>(
  response: HttpResponse,
  { fields, replyFields }: WrittenFields<D>,
  data: D,
  waitSeconds?: number,
): void {
  const isOfNode = response instanceof NodesResponse;
  if (!isOfNode && isReply(response)) {
    if (!response.raw.headersSent) replyFields.write(response, response.header, data, waitSeconds);
  } else if (!isOfNode && isFields(response)) {
    fields.write(response, response.set, data, waitSeconds);
  } else if (!response.headersSent) {
    // The method is looked up once: Express gives each response its own hidden class, in which lookups are slow.
    fields.write(response, response.setHeader, data, waitSeconds);
  }
}

/** Sets header fields, unless the response was begun, perhaps while the store was asked. */
export function setHeaders(response: HttpResponse, headers: Readonly<Record<string, string>>): void {
  if (isFields(response)) {
    for (const name of Object.keys(headers)) response.set(name, headers[name] as string);
    return;
  }
  if (rawOf(response).headersSent) return;
  if (isReply(response)) {
    for (const name of Object.keys(headers)) response.header(lowerCase(name), headers[name] as string);
    return;
  }
  // Looked up once: Express gives each response its own hidden class, in which lookups are slow.
  const { setHeader } = response;
  for (const name of Object.keys(headers)) setHeader.call(response, name, headers[name] as string);
}

/**
 * Fields, in lower case, that several parts of an application add to. Setting one would remove the values of others.
 */
const SHARED_FIELDS: ReadonlySet<string> = new Set(['set-cookie', 'vary', 'link']);

/** Whether a field with this name is added to existing ones, and replaces none. */
export function isSharedField(name: string): boolean {
  return SHARED_FIELDS.has(name.toLowerCase());
}

/**
 * Like `setHeaders`, for additional fields of the application. Existing values of fields such as `Vary` and
 * `Set-Cookie` stay.
 */
export function addHeaders(response: HttpResponse, headers: Readonly<Record<string, string>>): void {
  const shared = Object.entries(headers).filter(([name]) => isSharedField(name));
  if (shared.length === 0) {
    setHeaders(response, headers);
    return;
  }
  setHeaders(response, Object.fromEntries(Object.entries(headers).filter(([name]) => !isSharedField(name))));
  for (const [name, value] of shared) addHeader(response, name, value);
}

function addHeader(response: HttpResponse, name: string, value: string): void {
  if (isFields(response)) {
    response.append(name, value);
    return;
  }
  if (rawOf(response).headersSent) return;
  const before = response.getHeader(name);
  const all = before === undefined ? value : [before, value].flat().map(String);
  if (!isReply(response)) response.setHeader(name, all);
  // A reply adds cookies by itself.
  else response.header(lowerCase(name), lowerCase(name) === 'set-cookie' ? value : all);
}

/** Removes header fields, unless the response was begun. */
export function removeHeaders(response: HttpResponse, names: readonly string[]): void {
  if (isFields(response)) {
    for (const name of names) response.delete(name);
    return;
  }
  if (rawOf(response).headersSent) return;
  for (const name of names) response.removeHeader(isReply(response) ? lowerCase(name) : name);
}

/** The names of additional fields are not bounded, so this cache is. */
const MOST_NAMES = 1000;

const lowerCased = new Map<string, string>();

/**
 * Returns the name of a field in lower case, as a reply keeps it. A new string for each request would be looked up
 * among all internal strings.
 */
function lowerCase(name: string): string {
  const known = lowerCased.get(name);
  if (known !== undefined) return known;
  const made = name.toLowerCase();
  if (lowerCased.size < MOST_NAMES) lowerCased.set(name, made);
  return made;
}
