import { type HttpResponse, isFields, isReply, type NodeResponse, type Reply, rawOf } from './response.js';
import { setHeaders } from './response-fields.js';

/** Whether somebody has responded. A reply does not show a response that is still in its hooks: see `watchAnswer`. */
function isAnswered(response: NodeResponse): boolean {
  return isReply(response) ? response.sent || response.raw.headersSent : response.headersSent;
}

/**
 * Returns a function that says whether somebody has responded since now. A reply does not show a response that is still
 * in its hooks.
 */
export function watchAnswer(response: HttpResponse): () => boolean {
  if (isFields(response)) return response.watchAnswer?.() ?? (() => false);
  if (!isReply(response)) return () => isAnswered(response);
  let isSending = false;
  response.send = notifying(response.send, () => {
    isSending = true;
  });
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

/** Returns a method that notifies, and then does what it did before. */
function notifying<F extends (...args: never[]) => unknown>(call: F, notify: () => void): F {
  return function (this: unknown, ...args: never[]) {
    notify();
    return call.apply(this, args);
  } as F;
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
