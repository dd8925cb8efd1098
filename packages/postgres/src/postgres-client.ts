/** A query for node-postgres. */
export interface Query {
  readonly text: string;
  readonly values?: unknown[];
  /** The name of a statement that each connection prepares once. */
  readonly name?: string;
  /** After this many milliseconds the client gives up the query, and a pool gives up its connection. */
  readonly query_timeout?: number;
}

export interface QueryResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/**
 * The part of node-postgres (`pg`) 8 that the store uses: a `Pool`, or a connected `Client`. The type is structural, so
 * that two copies of node-postgres in one application do not conflict.
 */
export interface PostgresClient {
  query(query: Query): Promise<QueryResult>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  off?(event: 'error', listener: (error: Error) => void): unknown;
  /** For a pool: its connections, its idle connections, and the queries that wait for a connection. */
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
}

/** Returns why a query cannot be sent now, if that is known. */
export function troubleOf({ totalCount, idleCount, waitingCount = 0 }: PostgresClient): string | undefined {
  if (waitingCount === 0 || idleCount !== 0) return undefined;
  return `all ${totalCount} connections of the pool are in use or connecting, and ${waitingCount} queries wait for one`;
}
