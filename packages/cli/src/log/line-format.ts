import type { LoggedRequest } from './logged-request.js';

/** Which fields of a log the replay reads, beside time, address, request and status. */
export interface WantedFields {
  /** Names of header fields, in lower case. */
  readonly headers: readonly string[];
  /** Names of other fields: variables of nginx, or paths in JSON. */
  readonly values: readonly string[];
}

/** How the lines of a log are read. */
export interface LineFormat {
  /** For people: `combined`, `json`, or the format itself. */
  readonly name: string;
  /** Whether lines may be far from the order in which requests began, because each is written when its request ends. */
  readonly statesStart: boolean;
  /** Whether the log has a header field; undefined if that depends on the line. */
  hasHeader(name: string): boolean | undefined;
  /** Whether the log has another field; undefined if that depends on the line. */
  hasValue(name: string): boolean | undefined;
  /** Makes a function that reads one line; undefined for a line that has another format. */
  reader(wanted: WantedFields): LineReader;
}

export type LineReader = (line: string) => LoggedRequest | undefined;
