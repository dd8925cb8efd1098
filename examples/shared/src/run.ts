import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Runs a program. If it fails, the process ends. A port that is taken is told in one line.
 *
 * @param variables - the variables of the environment that choose ports
 */
export function run(main: () => Promise<void>, variables = 'PORT'): void {
  main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
    const isTaken = error.code === 'EADDRINUSE';
    console.error(isTaken ? `Port ${error.port} is taken: choose another one with ${variables}.` : error);
    process.exit(1);
  });
}

/** Resolves with the URL of a server when it listens, and rejects if it cannot. */
export async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
