import { ConnectionPool } from './connection-pool.js';

export interface ClosedLoadOptions {
  readonly port: number;
  /** How many requests are under way. */
  readonly clients: number;
  readonly seconds: number;
  /** Answers of the first seconds are not counted. */
  readonly settleSeconds: number;
}

/** Measures how many answers a server gives per second to clients who each wait for one before they ask for the next. */
export async function closedLoad({ port, clients, seconds, settleSeconds }: ClosedLoadOptions): Promise<number> {
  const pool = new ConnectionPool(port);
  const startMs = performance.now();
  let answers = 0;
  const client = async (): Promise<void> => {
    for (;;) {
      const status = await new Promise<number | undefined>((resolve) => {
        pool.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', resolve);
      });
      if (status !== 200) throw new Error(`Instead of 200, the answer was ${status}`);
      const elapsedMs = performance.now() - startMs;
      if (elapsedMs >= 1000 * seconds) return;
      if (elapsedMs >= 1000 * settleSeconds) answers += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  pool.close();
  return answers / (seconds - settleSeconds);
}
