import { expect, it } from '@jest/globals';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { readinessSuite } from '@sluice/test-kit/readiness-suite';
import { type OpenSqlite, SqliteStore } from '../src/index.js';
import { sqliteDriver } from '../src/sqlite-driver.js';
import { newFile } from './database-folder.js';

/** Returns what opens files as soon as nobody has their lock. */
async function openingFree(lock: { isHeld: boolean }): Promise<OpenSqlite> {
  const open = await sqliteDriver();
  return (file) => {
    if (lock.isHeld) throw Object.assign(new Error('the database is locked'), { code: 'SQLITE_BUSY' });
    return open(file);
  };
}

readinessSuite('a SqliteStore', async () => {
  const lock = { isHeld: true };
  return {
    store: new SqliteStore({ file: newFile(), timeout: '4s', open: await openingFree(lock) }),
    release() {
      lock.isHeld = false;
    },
  };
});

it('ready() waits for a lock longer than a decision may, and says who has it', async () => {
  const lock = { isHeld: true };
  const store = closedAfterTest(new SqliteStore({ file: newFile(), timeout: 10, open: await openingFree(lock) }));
  await expect(store.ready({ timeout: 100 })).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('another process has had the lock of'),
  });
  const ready = store.ready({ timeout: '1m' });
  lock.isHeld = false;
  await expect(ready).resolves.toBeUndefined();
});
