import type { PostgresClient } from './postgres-client.js';

/** The number of open stores for each client. */
const stores = new WeakMap<PostgresClient, number>();

/**
 * Keeps the process alive if an idle connection breaks: a pool emits an `error` event then. Decisions report failures.
 * Returns a function that stops it.
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
