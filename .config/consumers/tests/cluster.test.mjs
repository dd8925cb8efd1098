import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { clusterStore } from '@sluice/cluster';
import { createLimiter } from '@sluice/core';

test('A worker counts in the memory of its primary', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  const options = { channel: join(folder, 'channel'), timeout: '5s' };
  const primary = clusterStore({ ...options, role: 'primary' });
  for (const allowed of [true, false]) {
    const store = clusterStore({ ...options, role: 'worker' });
    await store.ready();
    const decision = await createLimiter({ limit: 1, window: '1h', store }).consume('ann');
    assert.equal(decision.source, 'store');
    assert.equal(decision.allowed, allowed);
    await store.close();
  }
  await primary.close();
  rmSync(folder, { recursive: true });
});
