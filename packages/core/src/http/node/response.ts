import { ServerResponse } from 'node:http';
import type { Refusal } from './problem.js';

/** What some frameworks put around Node's response, to be written to in its place. */
interface Reply {
  readonly raw: ServerResponse;
  readonly sent: boolean;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  removeHeader(name: string): unknown;
  serializer(serialize: (payload: string) => string): unknown;
  send(payload?: unknown): unknown;
  /** Says that the answer is written to `raw`. */
  hijack?(): unknown;
}

/** The response of a framework over Node's HTTP: Node's own, or a reply around it. */
export type NodeResponse = ServerResponse | Reply;

/** The fields of an answer that is still to be made, such as the `Headers` of fetch. */
interface ResponseFields {
  set(name: string, value: string): void;
  delete(name: string): unknown;
}

/** The response that header fields are written to: that of a framework over Node's HTTP, or the `Headers` of fetch. */
export type HttpResponse = NodeResponse | ResponseFields;

/** The class is asked first: to look for what a response does not have costs a search through all that it inherits. */
function isReply(response: HttpResponse): response is Reply {
  return !(response instanceof ServerResponse) && 'raw' in response && 'code' in response;
}

/** Whether it is no more than fields. Express's response has a `set`, too, but is Node's. */
function isFields(response: HttpResponse): response is ResponseFields {
  return !(response instanceof ServerResponse) && !('setHeader' in response) && !('raw' in response);
}

/** Node's own response. */
export function rawOf(response: NodeResponse): ServerResponse {
  return isReply(response) ? response.raw : response;
}

/** Sets header fields, unless an answer was begun, perhaps while the store was asked. */
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
  // Looked up once: Express gives each response a hidden class of its own, in which nothing is found fast.
  const { setHeader } = response;
  for (const name of Object.keys(headers)) setHeader.call(response, name, headers[name] as string);
}

/** Removes header fields, unless an answer was begun. */
export function removeHeaders(response: HttpResponse, names: readonly string[]): void {
  if (isFields(response)) {
    for (const name of names) response.delete(name);
    return;
  }
  if (rawOf(response).headersSent) return;
  for (const name of names) response.removeHeader(isReply(response) ? lowerCase(name) : name);
}

/** A service's own fields may have any number of names. */
const MOST_NAMES = 1000;

const lowerCased = new Map<string, string>();

/** A field name as a reply keeps it. Made anew for each request, it would be looked up among all names that there are. */
function lowerCase(name: string): string {
  const known = lowerCased.get(name);
  if (known !== undefined) return known;
  const made = name.toLowerCase();
  if (lowerCased.size < MOST_NAMES) lowerCased.set(name, made);
  return made;
}

/** From now on, returns what says whether somebody has answered. A reply does not tell of an answer that is in its hooks. */
export function watchAnswer(response: HttpResponse): () => boolean {
  // An answer that is still to be made is made by the adapter alone.
  if (isFields(response)) return () => false;
  if (!isReply(response)) return () => response.headersSent;
  let isSending = false;
  const { send } = response;
  response.send = (payload) => {
    isSending = true;
    return send.call(response, payload);
  };
  return () => isSending || response.sent || response.raw.headersSent;
}

/**
 * Tells when somebody answers, or does what would have answered a client that has left; at once if somebody has. May tell
 * more than once.
 */
export function onAnswer(response: HttpResponse, tell: () => void): void {
  if (isFields(response)) return;
  const raw = rawOf(response);
  if (raw.writableEnded || (isReply(response) && response.sent)) {
    tell();
    return;
  }
  raw.end = telling(raw.end, tell);
  if (!isReply(response)) return;
  // A stream that is sent to a client that has left is not so much as begun.
  response.send = telling(response.send, tell);
  if (response.hijack) response.hijack = telling(response.hijack, tell);
}

function telling<F extends (...args: never[]) => unknown>(call: F, tell: () => void): F {
  return new Proxy(call, {
    apply(target, self, args) {
      tell();
      return Reflect.apply(target, self, args);
    },
  });
}

/** Text that needs no serializing. A reply to which one is given adds nothing of its own to the type of a text. */
const asItIs = (text: string): string => text;

/** Sends a refusal to the byte. */
export function sendRefusal(response: NodeResponse, { status, headers, body }: Refusal): void {
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
