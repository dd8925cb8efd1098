/** What is asked of node-postgres. */
export interface Query {
  readonly text: string;
  readonly values?: unknown[];
  /** Of a statement that each connection prepares once. */
  readonly name?: string;
  /** After so many milliseconds the client gives up the query, and a pool its connection. */
  readonly query_timeout?: number;
}

export interface QueryResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/**
 * What is used of node-postgres (`pg`) 8: a `Pool`, or a `Client` that is connected. Structural, so that two copies of it in
 * one application do not quarrel.
 */
export interface PostgresClient {
  query(query: Query): Promise<QueryResult>;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  off?(event: 'error', listener: (error: Error) => void): unknown;
  /** Of a pool: its connections, those that nobody uses, and how many queries wait for one. */
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
}

/** What keeps a query from being sent, if anything is known to. */
export function troubleOf({ totalCount, idleCount, waitingCount = 0 }: PostgresClient): string | undefined {
  if (waitingCount === 0 || idleCount !== 0) return undefined;
  return `all ${totalCount} connections of the pool are in use or connecting, and ${waitingCount} queries wait for one`;
}
