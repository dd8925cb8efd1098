import type { Readable } from 'node:stream';
import type { HttpReservation } from '../../http/http-reservation.js';
import type { HttpRequest } from '../../http/node/request.js';
import type { HttpOptions } from '../../http/options.js';

/** A policy whose callbacks take the arguments of whatever framework they are called by. */
export type AdapterOptions = HttpOptions<readonly unknown[]>;

/** What an adapter's callbacks get, made readable: every function takes a callback's arguments as they came. */
export interface AdapterTools {
  requestOf(args: readonly unknown[]): HttpRequest;
  /** The status of the response as it stands. */
  statusOf(args: readonly unknown[]): number;
  /** Answers the request in the framework's own way, as an `onLimitReached` may; awaited if it is a promise. */
  answer(args: readonly unknown[], answer: AdapterAnswer): unknown;
}

/** What the handler is told. */
export interface AdapterRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Where the framework's users find it: `req.rateLimit` or its like. */
  readonly rateLimit: HttpReservation | undefined;
}

/** What to send, as the framework's own users would send it: text, an object as JSON, or a stream as it comes. */
export interface AdapterAnswer {
  readonly status: number;
  readonly body: string | Readonly<Record<string, unknown>> | Readable;
}

/** An application for the adapter under test to serve: policies before one handler. */
export interface AdapterApp {
  /**
   * Whether the framework is to believe the `X-Forwarded-For` of a proxy on loopback, by its own setting for that; default
   * false: no proxy is trusted.
   */
  readonly trustsLoopback?: boolean;
  /** In the order in which a request meets them. Called once, when the application is built. */
  policies(tools: AdapterTools): readonly AdapterOptions[];
  /**
   * Handles every method on every path: what has no handler is not limited alike, since not every framework runs an adapter
   * before its own 404. What it throws or rejects with goes to the framework's own error handling.
   */
  handle(request: AdapterRequest): AdapterAnswer | Promise<AdapterAnswer>;
}

/** A server that listens on a free port of 127.0.0.1. */
export interface RunningAdapter {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  /** Whether the adapter knows when a handler ends, and so keeps slots until then though the client has left. Default false. */
  readonly tellsOfHandlers?: boolean;
  /** Stops listening, and ends the connections that are open. */
  close(): Promise<void>;
}

/** Builds an application with the adapter's framework and serves it. */
export type StartAdapter = (app: AdapterApp) => Promise<RunningAdapter>;
