import type { Server } from 'node:http';

const SWEEP_MS = 50;
const PATIENCE_MS = 10_000;

/** Stops accepting, lets requests finish, and drops connections as soon as nothing is asked on them. */
export async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive would hold the server open for seconds after its last answer.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(giveUp);
}
