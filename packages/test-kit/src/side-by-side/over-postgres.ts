import { PostgresStore } from '@sluice/postgres';
import type { Pool } from 'pg';
import type { PostgresServer } from '../postgres/postgres-server.js';
import { type Contender, contenderOf, timeout } from './contender.js';

export async function overPostgres(server: PostgresServer): Promise<Contender[]> {
  const client = server.pool({ max: 10 });
  const storeOf = async (
    name: string,
    own: { table: string; durable?: boolean },
    unlogged = false,
  ): Promise<Contender> => {
    const store = new PostgresStore({ client, timeout, ...own });
    await store.createTable({ unlogged });
    return contenderOf(name, store);
  };
  return [
    await storeOf('`PostgresStore`', { table: 'sluice' }),
    await storeOf('with an unlogged table', { table: 'unlogged' }, true),
    await storeOf('with `durable: true`', { table: 'durable', durable: true }),
    await bareRows(client, () => server.stop()),
  ];
}

async function bareRows(client: Pool, end: () => unknown): Promise<Contender> {
  await client.query('CREATE TABLE bare (k text PRIMARY KEY, n int)');
  const read = { name: 'bare-read', text: 'SELECT n FROM bare WHERE k = $1' };
  const write = {
    name: 'bare-write',
    text: 'INSERT INTO bare VALUES ($1, 1) ON CONFLICT (k) DO UPDATE SET n = bare.n + 1',
  };
  return {
    name: 'a read and a write',
    async ask(key) {
      await client.query({ ...read, values: [key] });
      await client.query({ ...write, values: [key] });
    },
    end,
  };
}
