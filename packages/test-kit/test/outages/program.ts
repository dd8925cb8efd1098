import { createRequire } from 'node:module';
import { clusterStore } from '@sluice/cluster';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { SqliteStore } from '@sluice/sqlite';
import { Pool } from 'pg';
import { mariadbPool, mariadbStore } from '../../../../examples/mariadb-store/src/mariadb-store.js';
import type { Connection } from '../../../redis/test/clients/connection.js';
import { CONNECT } from '../../../redis/test/clients/connections.js';
import { CONNECT_BY_SENTINEL } from '../../../redis/test/clients/connections-by-sentinel.js';
import { CONNECT_CLUSTER } from '../../../redis/test/clients/connections-to-cluster.js';
import { openFrom } from '../../../sqlite/test/race/open-from.js';
import { type Asked, Asking, BY_SENTINEL, DEADLINE_MS, OF_CLUSTER } from './asking.js';

const [, , name, where] = process.argv as [node: string, program: string, name: string, where: string];

const timeout = DEADLINE_MS;

/** What a connection may take that a machine gone without a word never makes. */
const CONNECT_MS = 400;

type Stores = Readonly<Record<string, () => Asked | Promise<Asked>>>;

/** Stores over each client of Redis that has a form, by the name of the client and that of the form. */
function overClients<T>(
  form: string,
  connects: Readonly<Record<string, (at: T) => Promise<Connection>>>,
  at: () => T,
): Stores {
  const entries = Object.entries(connects).map(([client, connect]) => [
    `${client}${form}`,
    async (): Promise<Asked> => {
      const connection = await connect(at());
      return { store: new RedisStore({ client: connection.client, timeout }), end: () => connection.end() };
    },
  ]);
  return Object.fromEntries(entries);
}

/** A store over what is at `where`, by its name. */
const STORES: Stores = {
  ...overClients('', CONNECT, () => ({ port: Number(where) })),
  ...overClients(BY_SENTINEL, CONNECT_BY_SENTINEL, () => JSON.parse(where)),
  ...overClients(OF_CLUSTER, CONNECT_CLUSTER, () => JSON.parse(where)),

  PostgreSQL() {
    const client = new Pool({ connectionString: where, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => {});
    return { store: new PostgresStore({ client, timeout }), end: () => client.end() };
  },

  MariaDB() {
    const pool = mariadbPool(where);
    return { store: mariadbStore(pool, { timeout }), end: () => pool.end() };
  },

  SQLite() {
    const open = openFrom(createRequire(`${process.cwd()}/`));
    return { store: new SqliteStore({ file: where, timeout, open }), end: () => {} };
  },

  clusterStore: () => ({ store: clusterStore({ role: 'worker', channel: where, timeout }), end: () => {} }),
};

async function start(): Promise<void> {
  const asked = await STORES[name]?.();
  if (!asked) throw new Error(`no store is called ${name}`);
  new Asking(asked);
}

void start();
