import type { Server } from 'node:http';
import type { Readable } from 'node:stream';
import type { AdapterOptions } from '@sluice/conformance';
import type { HttpRequest, ShedLoadOptions } from '@sluice/core/http';
import type { LoadState } from '@sluice/core/load';

/** The options of `shedLoad` whose callbacks take the arguments of any framework. */
export type SheddingOptions = ShedLoadOptions<readonly unknown[]>;

/** Returns the request of a callback's arguments. */
export type RequestOf = (args: readonly unknown[]) => Pick<HttpRequest, 'url' | 'headers'>;

/** What the handler gets. */
export interface SheddingRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The state, from the place where the framework's users find it: `req.load` or similar. */
  readonly load: LoadState | undefined;
}

/** The response, sent as the framework's users would. */
export interface SheddingAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** An application with load shedding before everything else. */
export interface SheddingApp {
  /**
   * The path that the application is mounted under, in the way of the framework that hides most of it from load shedding: a mounted
   * application, or a prefix of a scope. Absent: none.
   */
  readonly mount?: string;
  /** Called once, when the application is built. */
  options(requestOf: RequestOf): SheddingOptions;
  /**
   * Returns policies that the adapter's `rateLimit` serves behind load shedding, in this order. Called once; absent if there
   * are none.
   */
  limits?(requestOf: RequestOf): readonly AdapterOptions[];
  /**
   * Handles every method on every path. The framework's error handling gets what it throws or rejects with, and answers
   * with status 500.
   */
  handle(request: SheddingRequest): SheddingAnswer | Promise<SheddingAnswer>;
}

/** A server that listens on a free port of 127.0.0.1. */
export interface RunningShedding {
  /** For example `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly server: Pick<Server, 'on' | 'keepAliveTimeout'>;
  /** Stops listening, and closes open connections. */
  close(): Promise<unknown>;
}

/** Builds an application with the adapter's framework, and serves it. */
export type StartShedding = (app: SheddingApp) => Promise<RunningShedding>;
