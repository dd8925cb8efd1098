import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { clusterStore } from '@sluice/cluster';
import { MemoryStore } from '@sluice/core';
import { SqliteStore } from '@sluice/sqlite';
import Database from 'libsql';
import { type Contender, contenderOf, timeout } from './contender.js';

export function inMemory(): Contender {
  return contenderOf('`MemoryStore`', new MemoryStore());
}

/** @param program - what calls `servePrimary` if it is given a path: the counters are in a process of their own */
export async function overCluster(program: string, folder: string): Promise<Contender> {
  const channel = join(folder, 'channel');
  const primary = fork(program, [channel]);
  await once(primary, 'message');
  const store = clusterStore({ role: 'worker', channel, timeout });
  await store.ready();
  return contenderOf('`clusterStore`', store, async () => {
    primary.kill();
    await once(primary, 'exit');
  });
}

/** Keeps the counters of `overCluster` in this process. */
export async function servePrimary(channel: string): Promise<void> {
  await clusterStore({ role: 'primary', channel }).ready();
  // The store alone keeps no process alive.
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}

export async function overSqlite(folder: string): Promise<Contender[]> {
  const store = new SqliteStore({ file: join(folder, 'limits.db'), timeout });
  await store.ready();
  const database = new Database(join(folder, 'bare.db'));
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE counts (k TEXT PRIMARY KEY, n INT)',
  );
  const read = database.prepare('SELECT n FROM counts WHERE k = ?');
  const write = database.prepare('INSERT INTO counts VALUES (?, 1) ON CONFLICT DO UPDATE SET n = n + 1');
  const bare: Contender = {
    name: 'a read and a write',
    ask(key) {
      read.get(key);
      write.run(key);
    },
    end: () => database.close(),
  };
  return [contenderOf('`SqliteStore`', store), bare];
}
