import { ServerResponse } from 'node:http';

/** The object that some frameworks put around Node's response, and that has to be used instead. */
interface Reply {
  readonly raw: ServerResponse;
  readonly sent: boolean;
  code(status: number): unknown;
  header(name: string, value: string | string[]): unknown;
  getHeader(name: string): number | string | string[] | undefined;
  removeHeader(name: string): unknown;
  serializer(serialize: (payload: string) => string): unknown;
  send(payload?: unknown): unknown;
  /** Says that the response is written to `raw`. */
  hijack?(): unknown;
}

/** The response of a framework over Node's HTTP: Node's own, or a reply around it. */
export type NodeResponse = ServerResponse | Reply;

/** The header fields of a response that is made later, such as the `Headers` of fetch. */
interface ResponseFields {
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): unknown;
  /** Whether somebody has responded. Absent: only the adapter does. */
  isAnswered?(): boolean;
}

/** The object to write header fields to: the response of a framework over Node's HTTP, or the `Headers` of fetch. */
export type HttpResponse = NodeResponse | ResponseFields;

/** Tests the class first: a lookup of a missing property searches the whole prototype chain. */
function isReply(response: HttpResponse): response is Reply {
  return !(response instanceof ServerResponse) && 'raw' in response && 'code' in response;
}

/** Whether it has only header fields. Express's response also has a `set`, but is Node's. */
function isFields(response: HttpResponse): response is ResponseFields {
  return !(response instanceof ServerResponse) && !('setHeader' in response) && !('raw' in response);
}

/** Returns Node's own response. */
export function rawOf(response: NodeResponse): ServerResponse {
  return isReply(response) ? response.raw : response;
}

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
  const isNodes = response instanceof ServerResponse;
  if (!isNodes && isReply(response)) {
    if (!response.raw.headersSent) replyFields.write(response, response.header, data, waitSeconds);
  } else if (!isNodes && isFields(response)) {
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

/** Whether somebody has responded. A reply does not show a response that is still in its hooks: see `watchAnswer`. */
function isAnswered(response: HttpResponse): boolean {
  if (isFields(response)) return response.isAnswered?.() ?? false;
  return isReply(response) ? response.sent || response.raw.headersSent : response.headersSent;
}

/**
 * Returns a function that says whether somebody has responded since now. A reply does not show a response that is still
 * in its hooks.
 */
export function watchAnswer(response: HttpResponse): () => boolean {
  if (isFields(response) || !isReply(response)) return () => isAnswered(response);
  let isSending = false;
  const { send } = response;
  response.send = (payload) => {
    isSending = true;
    return send.call(response, payload);
  };
  return () => isSending || isAnswered(response);
}

/**
 * Calls `notify` when somebody responds, or would have responded to a client that has left; at once if somebody has. It
 * may call more than once.
 */
export function onAnswer(response: HttpResponse, notify: () => void): void {
  if (isFields(response)) return;
  const raw = rawOf(response);
  if (raw.writableEnded || (isReply(response) && response.sent)) {
    notify();
    return;
  }
  raw.end = notifying(raw.end, notify);
  if (!isReply(response)) return;
  // If the client has left, a stream that is sent does not even begin.
  response.send = notifying(response.send, notify);
  if (response.hijack) response.hijack = notifying(response.hijack, notify);
}

function notifying<F extends (...args: never[]) => unknown>(call: F, notify: () => void): F {
  return new Proxy(call, {
    apply(target, self, args) {
      notify();
      return Reflect.apply(target, self, args);
    },
  });
}

/** A whole response, such as a refusal. */
interface CompleteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The serializer of text that needs none. A reply with a serializer adds nothing to the content type of a text. */
const asItIs = (text: string): string => text;

/** Replies that have a refusal. A reply does not show that while it is in its hooks. */
const refused = new WeakSet<Reply>();

/**
 * Sends a refusal unchanged, to the byte, unless somebody has responded. Of several policies that are asked at the same
 * time, another one may just have refused: Node's response must not end twice, because that error ends the process.
 */
export function sendRefusal(response: NodeResponse, { status, headers, body }: CompleteResponse): void {
  if (isAnswered(response)) return;
  if (isReply(response)) {
    if (refused.has(response)) return;
    refused.add(response);
  }
  setHeaders(response, headers);
  if (isReply(response)) {
    response.code(status);
    response.serializer(asItIs);
    response.send(body);
  } else {
    response.statusCode = status;
    response.end(body);
  }
}
