import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VariableError } from './variables.js';

/**
 * Runs a program. If it fails, the process ends. A variable that is wrong, and a port that is taken, are told in one line.
 *
 * @param main - reads the environment
 * @param variables - the variables of the environment that choose ports
 */
export function run(main: () => Promise<void>, variables = 'PORT'): void {
  main().catch((error: NodeJS.ErrnoException & { port?: number }) => {
    if (error instanceof VariableError) console.error(error.message);
    else if (error.code === 'EADDRINUSE')
      console.error(`Port ${error.port} is taken: choose another one with ${variables}.`);
    else console.error(error);
    process.exit(1);
  });
}

/** Resolves with the URL of a server when it listens, and rejects if it cannot. */
export async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
