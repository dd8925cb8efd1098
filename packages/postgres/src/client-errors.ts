import type { PostgresClient } from './postgres-client.js';

/** How many stores of a client are open, by client. */
const stores = new WeakMap<PostgresClient, number>();

/**
 * Keeps the process alive when a connection breaks that nobody uses, of which a pool tells by an `error` event: decisions tell
 * what fails. Returns the way to stop.
 */
export function tolerateErrors(client: PostgresClient): () => void {
  const before = stores.get(client) ?? 0;
  stores.set(client, before + 1);
  if (before === 0) client.on?.('error', ignore);
  let isOver = false;
  return () => {
    const open = stores.get(client) ?? 0;
    if (isOver) return;
    isOver = true;
    stores.set(client, open - 1);
    if (open === 1) client.off?.('error', ignore);
  };
}

function ignore(): void {}
