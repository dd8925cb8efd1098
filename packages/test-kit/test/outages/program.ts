import { createRequire } from 'node:module';
import { clusterStore } from '@sluice/cluster';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { SqliteStore } from '@sluice/sqlite';
import { Pool } from 'pg';
import { mariadbPool, mariadbStore } from '../../../../examples/mariadb-store/src/mariadb-store.js';
import { CONNECT } from '../../../redis/test/clients/connections.js';
import { openFrom } from '../../../sqlite/test/race/open-from.js';
import { type Asked, Asking, DEADLINE_MS } from './asking.js';

const [, , name, where] = process.argv as [node: string, program: string, name: string, where: string];

const timeout = DEADLINE_MS;

/** What a connection may take that a machine gone without a word never makes. */
const CONNECT_MS = 400;

/** A store over what is at `where`, by its name. */
const STORES: Readonly<Record<string, () => Asked | Promise<Asked>>> = {
  ...Object.fromEntries(
    Object.entries(CONNECT).map(([client, connect]) => [
      client,
      async (): Promise<Asked> => {
        const connection = await connect({ port: Number(where) });
        return { store: new RedisStore({ client: connection.client, timeout }), end: () => connection.end() };
      },
    ]),
  ),

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
