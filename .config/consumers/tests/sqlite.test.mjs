import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { createLimiter } from '@sluice/core';
import { SqliteStore } from '@sluice/sqlite';

test('The SQLite store counts in a file, which the next store reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sqlite-'));
  for (const allowed of [true, false]) {
    const store = new SqliteStore({ file: join(folder, 'limits.db') });
    await store.ready();
    const decision = await createLimiter({ limit: 1, window: '1h', store }).consume('ann');
    assert.equal(decision.source, 'store');
    assert.equal(decision.allowed, allowed);
    await store.close();
  }
  rmSync(folder, { recursive: true });
});
