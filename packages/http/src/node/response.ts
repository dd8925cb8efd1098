import type { ServerResponse } from 'node:http';
import { NODE } from '@sluice/core/src/values/node';

/** The object that some frameworks put around Node's response, and that has to be used instead. */
export interface Reply {
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
  /** Returns a function that says whether somebody has responded since now. Absent: only the adapter does. */
  watchAnswer?(): () => boolean;
}

/** The object to write header fields to: the response of a framework over Node's HTTP, or the `Headers` of fetch. */
export type HttpResponse = NodeResponse | ResponseFields;

/** The class of Node's own responses. Where there is no Node, it is a class of nothing. */
export const NodesResponse: typeof ServerResponse =
  NODE?.getBuiltinModule('node:http')?.ServerResponse ?? (class {} as never);

/** Tests the class first: a lookup of a missing property searches the whole prototype chain. */
export function isReply(response: HttpResponse): response is Reply {
  return !(response instanceof NodesResponse) && 'raw' in response && 'code' in response;
}

/** Whether it has only header fields. Express's response also has a `set`, but is Node's. */
export function isFields(response: HttpResponse): response is ResponseFields {
  return !(response instanceof NodesResponse) && !('setHeader' in response) && !('raw' in response);
}

/** Returns Node's own response. */
export function rawOf(response: NodeResponse): ServerResponse {
  return isReply(response) ? response.raw : response;
}
