import type { ConnectionPool } from './connection-pool.js';

export interface ClosedLoadOptions {
  /** All of its connections take part. One that has rested costs a server more than one that was just used. */
  readonly pool: ConnectionPool;
  /** How many requests are under way. */
  readonly clients: number;
  readonly seconds: number;
  /** Answers of the first seconds are not counted. */
  readonly settleSeconds: number;
  /** What all answers have to be; undefined for a warm-up, in which some are refused. */
  readonly status: 200 | 503 | undefined;
}

/** Measures how many answers a server gives per second to clients who each wait for one before they ask for the next. */
export async function closedLoad(options: ClosedLoadOptions): Promise<number> {
  const { pool, clients, seconds, settleSeconds, status: expected } = options;
  const startMs = performance.now();
  let answers = 0;
  const client = async (): Promise<void> => {
    for (;;) {
      const status = await new Promise<number | undefined>((resolve) => {
        pool.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', resolve);
      });
      if (expected !== undefined && status !== expected) {
        throw new Error(`Instead of ${expected}, the answer was ${status}`);
      }
      const elapsedMs = performance.now() - startMs;
      if (elapsedMs >= 1000 * seconds) return;
      if (elapsedMs >= 1000 * settleSeconds) answers += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answers / (seconds - settleSeconds);
}
