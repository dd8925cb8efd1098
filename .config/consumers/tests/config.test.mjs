import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fromFile, policies } from '@sluice/config';
import { createLimiter, MemoryStore } from '@sluice/core';

test('Live policies follow a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
  const path = join(folder, 'sluice.yaml');
  const write = (limit) =>
    writeFileSync(path, `version: 1\npolicies: { api: { limits: [{ limit: ${limit}, window: 1m }] } }\n`);
  write(1);
  // Live policies do not keep a process alive.
  const alive = setInterval(() => {}, 1000);
  const live = await policies({ source: fromFile(path), store: new MemoryStore() });
  const limiter = createLimiter(live.policy('api'));
  const request = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };
  assert.equal(limiter.consume(request).allowed, true);
  assert.equal(limiter.consume(request).allowed, false);
  write(2);
  assert.equal((await live.reload()).outcome, 'applied');
  assert.equal(limiter.consume(request).allowed, true);
  await live.close();
  clearInterval(alive);
  rmSync(folder, { recursive: true });
});
