import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresStore } from '@sluice/postgres';
import { MariadbServer } from '@sluice/test-kit/debian/mariadb-server';
import { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { TestProgram } from '@sluice/test-kit/test-program';
import { createConnection, createPool } from 'mysql2/promise';
import { createTable } from '../../../../examples/mariadb-store/src/mariadb-store.js';
import { PrimaryProcess } from '../../../cluster/test/programs/primary-process.js';
import { Successor } from '../../../redis/test/successor.js';

/** What keeps the counters of a store, and what may happen to it. */
export interface Server {
  /** Where the store finds it. */
  readonly where: string;
  /** Stops it where it is, so that it does not answer. */
  freeze(): unknown;
  thaw(): unknown;
  /** Ends it at once. */
  kill(): unknown;
  restart(): unknown;
  /** Ends it for good. */
  stop(): unknown;
}

export async function startRedis(): Promise<Server> {
  const server = await RedisServer.start();
  return {
    where: `${server.port}`,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    kill: () => server.kill(),
    restart: () => server.run(),
    stop: () => server.stop(),
  };
}

/** The first of two servers, of which Sentinel promotes the other one. */
export async function startSentinel(): Promise<Server> {
  const server = await RedisServer.start();
  const successor = await Successor.of(server);
  return {
    where: JSON.stringify(successor.sentinel),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    kill: () => server.kill(),
    restart: () => successor.promoted(),
    stop: async () => {
      await successor.stop();
      await server.stop();
    },
  };
}

/** One node of a cluster. */
export async function startCluster(): Promise<Server> {
  const cluster = await RedisCluster.start();
  const [node] = cluster.servers as [RedisServer];
  return {
    where: JSON.stringify(cluster.servers.map(({ port }) => ({ port }))),
    freeze: () => node.freeze(),
    thaw: () => node.thaw(),
    kill: () => node.kill(),
    restart: () => node.run(),
    stop: () => cluster.stop(),
  };
}

export async function startPostgres(): Promise<Server> {
  const server = await PostgresServer.start();
  await new PostgresStore({ client: server.pool() }).createTable();
  return {
    where: `postgres://sluice@127.0.0.1:${server.port}/postgres`,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    kill: () => server.kill(),
    restart: () => server.run(),
    stop: () => server.stop(),
  };
}

export async function startMariadb(): Promise<Server> {
  const server = await MariadbServer.start();
  const connection = await createConnection(server.uri());
  await connection.query('CREATE DATABASE limits');
  await connection.end();
  const where = server.uri('limits');
  const pool = createPool(where);
  await createTable(pool);
  await pool.end();
  return {
    where,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    kill: () => server.kill(),
    restart: () => server.restart(),
    stop: () => server.stop(),
  };
}

/** A process that holds the lock of a file, as one does that is stopped in the middle of a write. */
async function holderOf(program: TestProgram, file: string): Promise<ChildProcess> {
  const holder = fork(program.path, [file], { execArgv: [] });
  await once(holder, 'message');
  return holder;
}

async function end(process: ChildProcess | undefined): Promise<void> {
  if (!process || process.exitCode !== null || process.signalCode !== null) return;
  const exit = once(process, 'exit');
  process.kill('SIGKILL');
  await exit;
}

/** A file has no server: another process holds its lock, and the file is moved away. */
export async function startSqlite(): Promise<Server> {
  const program = await TestProgram.build(join(__dirname, 'holder.ts'));
  const folder = mkdtempSync(join(tmpdir(), 'sluice-outages-'));
  const where = join(folder, 'limits.db');
  let holder: ChildProcess | undefined;
  return {
    where,
    freeze: async () => {
      holder = await holderOf(program, where);
    },
    thaw: () => end(holder),
    kill: () => {
      for (const ending of ['', '-wal', '-shm']) renameSync(`${where}${ending}`, `${where}.old${ending}`);
    },
    restart: () => {},
    stop: async () => {
      await end(holder);
      program.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startPrimary(): Promise<Server> {
  const program = await TestProgram.build(join(__dirname, '../../../cluster/test/programs/primary.ts'));
  const folder = mkdtempSync(join(tmpdir(), 'sluice-outages-'));
  const where = join(folder, 'channel');
  const primary = new PrimaryProcess(program.path, where);
  await primary.run();
  return {
    where,
    freeze: () => primary.freeze(),
    thaw: () => primary.thaw(),
    kill: () => primary.kill(),
    restart: () => primary.run(),
    stop: async () => {
      await primary.kill();
      program.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
