import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import express from 'express';

const require = createRequire(import.meta.url);

/** How a process gets a package: libraries of an application may need another format of it than the application. */
const WAYS = { import: (name) => import(name), require };

/** Returns what a function throws. */
function errorOf(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
}

for (const [way, load] of Object.entries(WAYS)) {
  test(`All entry points that a process gets by ${way} share one copy`, async () => {
    const { SluiceError, MemoryStore, createLoadSignal } = await load('@sluice/core');
    const application = await load('@sluice/core/application');
    const http = await load('@sluice/core/http');
    const store = await load('@sluice/core/store');
    const values = await load('@sluice/core/values');
    const shedding = await load('@sluice/core/load');
    const { ManualClock } = await load('@sluice/core/testing');
    const adapter = await load('@sluice/express');
    assert.ok(errorOf(() => http.byHeader('')) instanceof SluiceError);
    assert.ok(errorOf(() => values.checkName('', 'name')) instanceof SluiceError);
    assert.ok(errorOf(() => new ManualClock().advance('never')) instanceof SluiceError);
    assert.ok(errorOf(() => adapter.rateLimit({ limit: -1, window: '1m' })) instanceof SluiceError);
    assert.ok(values.optionError('limit', 'must be a number', 'x') instanceof SluiceError);
    assert.ok(errorOf(() => store.restoreSnapshot()) instanceof SluiceError);
    assert.equal(application.HttpRefusal, http.HttpRefusal);
    assert.equal(adapter.HttpRefusal, http.HttpRefusal);
    assert.equal(shedding.createLoadSignal, createLoadSignal);
    assert.equal(adapter.MemoryStore, MemoryStore);
  });
}

test('The two formats are two copies, which share what belongs to a request', async (t) => {
  const [imported, required] = await Promise.all(Object.values(WAYS).map((load) => load('@sluice/express')));
  assert.notEqual(imported.SluiceError, required.SluiceError);
  const app = express();
  app.use(imported.rateLimit({ name: 'outer', limit: 10, window: '1m' }));
  app.use(required.rateLimit({ name: 'inner', limit: 5, window: '1m' }));
  app.get('/', (req, res) => {
    res.json(req.rateLimit.policy);
  });
  const server = app.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${server.address().port}`, { headers: { connection: 'close' } });
  assert.equal(await answer.json(), 'inner');
  // Each field lists both policies only if the second found what the first had left at the request.
  assert.equal(answer.headers.get('ratelimit-policy'), '"outer";q=10;w=60,"inner";q=5;w=60');
  assert.equal(answer.headers.get('x-ratelimit-limit'), '5');
});

test('A limiter of one format throws the mistakes that a store of the other finds', async () => {
  const [imported, required] = await Promise.all(Object.values(WAYS).map((load) => load('@sluice/core')));
  for (const [one, other] of [
    [imported, required],
    [required, imported],
  ]) {
    const store = new other.MemoryStore();
    const limiter = one.createLimiter({ limit: 5, window: '1m', store });
    store.close();
    const error = errorOf(() => limiter.consume('ann'));
    assert.equal(error?.code, 'SLUICE_CLOSED');
    assert.ok(error instanceof one.SluiceError);
  }
});

test('Limiters of both formats follow a policy file', async (t) => {
  const { fromFile, policies } = await import('@sluice/config');
  const [imported, required] = await Promise.all(Object.values(WAYS).map((load) => load('@sluice/express')));
  const folder = mkdtempSync(join(tmpdir(), 'both-formats-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'sluice.yaml');
  const write = (limit) =>
    writeFileSync(path, `version: 1\npolicies: { api: { limits: [{ name: minute, limit: ${limit}, window: 1m }] } }\n`);
  write(5);
  const live = await policies({ source: fromFile(path), store: new imported.MemoryStore() });
  t.after(() => live.close());
  const limiters = [imported, required].map(({ createLimiter }) => createLimiter(live.policy('api')));
  write(9);
  await live.reload();
  const request = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };
  assert.deepEqual(
    limiters.map((limiter) => limiter.peek(request).tightest.limit.quota),
    [9, 9],
  );
});
