import { serveBackend } from '../overload/backend.js';

/** The servers behind a server that is measured under load. */
export async function start() {
  const port = await serveBackend();
  return { port: (): number => port };
}
