import type { Server } from 'node:http';

const SWEEP_MS = 50;
const TIMEOUT_MS = 10_000;

/** Until the server has closed, drops connections as soon as nothing is asked on them, and after ten seconds all of them. */
export function drain(server: Server): void {
  // A connection that is kept alive would hold the server open for seconds after its last answer.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const forceClose = setTimeout(() => server.closeAllConnections(), TIMEOUT_MS);
  server.once('close', () => {
    clearInterval(sweep);
    clearTimeout(forceClose);
  });
}
