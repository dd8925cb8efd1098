import type { IncomingHttpHeaders } from 'node:http';
import type { HttpRequest } from '@sluice/core/http';

/** A request as a line of a log tells it: what policies read of a request, and how it was answered. */
export class LoggedRequest implements HttpRequest {
  constructor(
    /** When it began, in Unix milliseconds, or when its line was written if the log does not say how long it took. */
    public atMs: number,
    /** When its line was written, in Unix milliseconds. */
    readonly writtenMs: number,
    /** The method; empty if the client did not send an HTTP request. */
    readonly method: string,
    /** The path with its query. */
    readonly url: string,
    readonly ip: string | undefined,
    /** The status of the answer; 0 if the log does not tell it. */
    readonly status: number,
    /** The header fields that were asked for, as far as the log has them. */
    readonly headers: IncomingHttpHeaders,
    /** The other fields that were asked for, in the same order. */
    readonly values: readonly (string | undefined)[],
    /** Whether its time is exact to the millisecond; else it is the second in which it lies. */
    readonly isExact: boolean,
    /**
     * Whether the application saw it. False if it is no HTTP request, or if the log tells that the proxy answered without
     * asking the application.
     */
    readonly hasReached: boolean,
  ) {}
}
