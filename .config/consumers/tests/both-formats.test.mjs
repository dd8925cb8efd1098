import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
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
    const shedding = await load('@sluice/core/load');
    const { ManualClock } = await load('@sluice/core/testing');
    const adapter = await load('@sluice/express');
    assert.ok(errorOf(() => http.byHeader('')) instanceof SluiceError);
    assert.ok(errorOf(() => store.checkName('', 'name')) instanceof SluiceError);
    assert.ok(errorOf(() => new ManualClock().advance('never')) instanceof SluiceError);
    assert.ok(errorOf(() => adapter.rateLimit({ limit: -1, window: '1m' })) instanceof SluiceError);
    assert.ok(store.optionError('limit', 'must be a number', 'x') instanceof SluiceError);
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
