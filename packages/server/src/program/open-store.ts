import { MemoryStore, SluiceError, systemClock } from '@sluice/core';
import type { Log } from './log.js';
import type { OpenedStore, SharedStore } from './opened-store.js';
import type { ServerOptions, StoreOptions } from './options/server-options.js';
import type { StoreKind } from './options/store-address.js';

/**
 * How long the start waits for a shared store. An instance that counts by itself for its first moments would admit more than the
 * limit, so it is not ready before.
 */
const READY_WITHIN_MS = 5000;

/** How often it is tried again after a start without the store. */
const RETRY_MS = 1000;

type CounterOptions = Pick<ServerOptions, 'store' | 'maxKeys'>;

type OpenShared = (options: StoreOptions, log: Log) => SharedStore;

/** How a shared store is opened. An instance loads the packages of its own store alone. */
const OPENERS: Readonly<Record<StoreKind, () => Promise<OpenShared>>> = {
  redis: async () => {
    const { openRedis } = await import('./open-redis.js');
    return openRedis;
  },
  postgres: async () => {
    const { openPostgres } = await import('./open-postgres.js');
    return openPostgres;
  },
  sqlite: async () => {
    const { openSqlite } = await import('./open-sqlite.js');
    return openSqlite;
  },
};

/** How to have what some stores need, by the name of the package. */
const INSTALLATION: Readonly<Record<string, string>> = {
  pg: 'npm install pg',
  '@sluice/postgres': 'docs/running.md of @sluice/server shows how',
  '@sluice/sqlite': 'docs/running.md of @sluice/server shows how',
};

/**
 * Opens the store of the service.
 *
 * @throws SluiceError `SLUICE_STORE` without a store that is required; `SLUICE_OPTION` if it can never be used here
 */
export async function openStore({ store, maxKeys }: CounterOptions, log: Log): Promise<OpenedStore> {
  if (store) return openShared(store, log);
  const memory = new MemoryStore({ maxKeys });
  return { store: memory, close: async () => memory.close() };
}

async function openShared(options: StoreOptions, log: Log): Promise<OpenedStore> {
  const open = await OPENERS[options.address.kind]().catch((error: unknown) => {
    throw missingPackage(error) ?? error;
  });
  const shared = open(options, log);
  try {
    await shared.ready(READY_WITHIN_MS);
  } catch (error) {
    if (options.isRequired || (error instanceof SluiceError && error.code !== 'SLUICE_STORE')) {
      await shared.close();
      throw error;
    }
    log.error(
      { err: error },
      'the store cannot be used: the service starts degraded, and each instance counts by itself',
    );
    return retried(shared, error, log);
  }
  return shared;
}

/** Nobody else would make the table of a service that has started without its store. */
function retried(shared: SharedStore, error: unknown, log: Log): OpenedStore {
  const end = new AbortController();
  let startError = error;
  const retry = async (): Promise<void> => {
    while (startError !== undefined && !end.signal.aborted) {
      try {
        await systemClock.sleep(RETRY_MS, end.signal);
        await shared.ready(READY_WITHIN_MS);
        startError = undefined;
        log.info('the store can be used');
      } catch {
        // The log has the first error, and what follows is mostly the same.
      }
    }
  };
  void retry();
  return {
    ...shared,
    startError: () => startError,
    close: () => {
      end.abort();
      return shared.close();
    },
  };
}

/** Returns what helps if a package of the store is not installed. */
function missingPackage(error: unknown): SluiceError | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, name = ''] = (code?.endsWith('MODULE_NOT_FOUND') && /^Cannot find \w+ '([^']+)'/.exec(message)) || [];
  const installation = INSTALLATION[name];
  if (installation === undefined) return undefined;
  return new SluiceError('SLUICE_OPTION', `--store needs ${name}, which is not installed: ${installation}`, {
    cause: error,
  });
}
