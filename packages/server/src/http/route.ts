import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Eventual } from '@sluice/core/values';

/** Answers requests to one path, or to all paths with one beginning. */
export type Route = {
  /** Absent: every method. */
  readonly method?: string;
  /**
   * Answers a request. If it throws or rejects with an `InputProblem`, that is the answer. Any other error is 500, and is
   * reported.
   */
  handle(request: RouteRequest, response: ServerResponse): Eventual<void>;
} & (
  | { readonly path: string; readonly prefix?: never }
  /** It ends with a slash. */
  | { readonly prefix: string; readonly path?: never }
);

/** The parts of a request target, all as the client wrote them. */
export interface Target {
  /** The path without the query. */
  readonly path: string;
  /** The part of the path after the prefix of the route. Empty for a route with one path. */
  readonly rest: string;
  /** The text after the question mark; empty if there is none. */
  readonly search: string;
}

/** A request on its way to the handler of a route. */
export class RouteRequest implements Target {
  readonly message: IncomingMessage;
  readonly path: string;
  readonly rest: string;
  readonly search: string;

  constructor(message: IncomingMessage, { path, rest, search }: Target) {
    this.message = message;
    this.path = path;
    this.rest = rest;
    this.search = search;
  }

  /** The parameters of the query. They are parsed each time. */
  get query(): URLSearchParams {
    return new URLSearchParams(this.search);
  }

  /** The address of whoever has opened the connection; undefined if it has ended. */
  get peer(): string | undefined {
    return this.message.socket.remoteAddress;
  }
}
