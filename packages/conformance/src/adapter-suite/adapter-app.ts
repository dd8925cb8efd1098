import type { HttpOptions, HttpRequest, HttpReservation } from '@sluice/core/http';

/** The options of a policy whose callbacks take the arguments of any framework. */
export type AdapterOptions = HttpOptions<readonly unknown[]>;

/** Reads the arguments of an adapter's callbacks. Every function takes them as the callback got them. */
export interface AdapterTools {
  /** The request, in the form that all adapters share. */
  requestOf(args: readonly unknown[]): HttpRequest;
  /** The current status of the response. */
  statusOf(args: readonly unknown[]): number;
  /** Sends the response in the framework's own way, as an `onLimitReached` can. A promise is awaited. */
  answer(args: readonly unknown[], answer: AdapterAnswer): unknown;
}

/** What the handler gets. */
export interface AdapterRequest {
  /** The method, such as `GET`. */
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The reservation, from the place where the framework's users find it: `req.rateLimit` or similar. */
  readonly rateLimit: HttpReservation | undefined;
}

/** The response, sent as the framework's users would: text, an object as JSON, or a stream. On Node: `Readable.fromWeb(body)`. */
export interface AdapterAnswer {
  /** The status code. */
  readonly status: number;
  /** The body: text, an object as JSON, or a stream. */
  readonly body: string | Readonly<Record<string, unknown>> | ReadableStream<Uint8Array>;
}

/** An application that the tested adapter serves: policies and one handler. */
export interface AdapterApp {
  /**
   * Whether the framework trusts the `X-Forwarded-For` of a proxy on the loopback interface, by its own setting.
   * Default: false.
   */
  readonly trustsLoopback?: boolean;
  /** Returns the policies in the order in which a request passes them. Called once, when the application is built. */
  policies(tools: AdapterTools): readonly AdapterOptions[];
  /**
   * Handles every method on every path. Frameworks differ in whether an adapter runs before their own 404, so nothing
   * is left unhandled. The framework's error handling gets what it throws or rejects with.
   */
  handle(request: AdapterRequest): AdapterAnswer | Promise<AdapterAnswer>;
}

/** A server that listens on a free port of 127.0.0.1. */
export interface RunningAdapter {
  /** For example `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops listening, and closes open connections. */
  close(): Promise<void>;
}

/** Builds an application with the adapter's framework, and serves it. */
export type StartAdapter = (app: AdapterApp) => Promise<RunningAdapter>;
