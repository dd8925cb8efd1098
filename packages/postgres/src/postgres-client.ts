/** A query for node-postgres. */
export interface Query {
  /** The SQL, with `$1`, `$2` for its values. */
  readonly text: string;
  /** The values, in the order of their numbers. */
  readonly values?: unknown[];
  /** The name of a statement that each connection prepares once. */
  readonly name?: string;
  /** After this many milliseconds the client gives up the query, and a pool gives up its connection. */
  readonly query_timeout?: number;
}

/** What node-postgres resolves a query with. */
export interface QueryResult {
  /** The rows, each by the names of its columns. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows the query returned or changed; null if it does not say. */
  readonly rowCount: number | null;
}

/**
 * The part of node-postgres (`pg`) 8 that the store uses: a `Pool`, or a connected `Client`. The type is structural, so
 * that two copies of node-postgres in one application do not conflict.
 */
export interface PostgresClient {
  /** Runs a query. */
  query(query: Query): Promise<QueryResult>;
  /** Calls the listener for each error of an idle connection. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Calls the listener no more. */
  off?(event: 'error', listener: (error: Error) => void): unknown;
  /** For a pool: how many connections it has. */
  readonly totalCount?: number;
  /** For a pool: how many of its connections are idle. */
  readonly idleCount?: number;
  /** For a pool: how many queries wait for a connection. */
  readonly waitingCount?: number;
}

/** Returns why a query cannot be sent now, if that is known. */
export function troubleOf({ totalCount, idleCount, waitingCount = 0 }: PostgresClient): string | undefined {
  if (waitingCount === 0 || idleCount !== 0) return undefined;
  return `all ${totalCount} connections of the pool are in use or connecting, and ${waitingCount} queries wait for one`;
}
