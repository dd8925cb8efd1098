import { type ClosedLoadOptions, closedLoad } from '../overload/closed-load.js';
import { ConnectionPool } from '../overload/connection-pool.js';
import { stepsPerMs } from '../overload/cpu-work.js';
import type { LoadOptions } from '../overload/load-options.js';
import { type LoadResult, openLoad } from '../overload/open-load.js';

/** A load on a server to which this process is connected. */
type OnPort<Options> = Omit<Options, 'pool'> & { readonly port: number };

/** The clients of servers that are measured under load. */
export async function start() {
  const pools = new Map<number, ConnectionPool>();
  const poolOf = (port: number): ConnectionPool => {
    const pool = pools.get(port);
    if (!pool) throw new Error(`there is no connection to port ${port}`);
    return pool;
  };
  return {
    stepsPerMs,
    async connect({ port, connections }: { port: number; connections: number }): Promise<void> {
      const pool = new ConnectionPool(port);
      pools.set(port, pool);
      await pool.open(connections);
    },
    disconnect(port: number): void {
      poolOf(port).close();
      pools.delete(port);
    },
    closedLoad: ({ port, ...rest }: OnPort<ClosedLoadOptions>): Promise<number> =>
      closedLoad({ ...rest, pool: poolOf(port) }),
    openLoad: ({ port, ...rest }: OnPort<LoadOptions>): Promise<LoadResult> =>
      openLoad({ ...rest, pool: poolOf(port) }),
  };
}
