import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type PolicyOptions, SluiceError, slidingWindow } from '@sluice/core';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { admittedOf, Callers, CHOICES, sleep, sourcesOf, TIMEOUT_MS } from '../../../redis/test/faults/callers.js';
import { PostgresStore } from '../../src/index.js';

/** What a connection may take that a machine gone without a word never makes. */
const CONNECT_MS = 400;

const options = { limit: 1000, window: '1h' } as const;

let server: PostgresServer;
let callers: Callers;
let client: Pool;
let subjects = 0;
let subject: string;

withPostgres((_, given) => {
  server = given;
});

beforeEach(() => {
  callers = new Callers();
  client = server.pool({ connectionTimeoutMillis: CONNECT_MS });
  subjects += 1;
  subject = `subject-${subjects}`;
});

afterEach(async () => {
  server.thaw();
  await callers.close();
}, 180_000);

const storeOver = (pool: Pool, timeout = TIMEOUT_MS): PostgresStore =>
  callers.closeLater(new PostgresStore({ client: pool, timeout }));

/** What the table holds, by another connection than that of the store under test. */
async function remaining(policy: PolicyOptions<[subject: string]>): Promise<number> {
  const limiter = createLimiter({ ...policy, store: storeOver(server.pool(), 5000) });
  const decision = await limiter.peek(subject);
  expect(decision.source).toBe('store');
  return decision.tightest.remaining;
}

describe.each(CHOICES)('A server that is frozen (SIGSTOP), under %s,', (onStoreError) => {
  it('is replaced within the deadline, charges nothing later, and decides soon after SIGCONT', async () => {
    const limiter = createLimiter({ ...options, name: onStoreError, store: storeOver(client), onStoreError });
    await callers.untilBack(limiter, subject);
    const before = await remaining({ ...options, name: onStoreError });
    server.freeze();
    await sleep(20);
    const answers = await callers.askFor(limiter, 600, 10, subject);
    expect(sourcesOf(answers)).toEqual(new Set([onStoreError]));
    if (onStoreError === 'deny') expect(admittedOf(answers)).toBe(0);
    server.thaw();
    await callers.untilBack(limiter, subject);
    callers.expectAllInTime();
    // What was sent while it was stopped has run by now. Each answer by the store since then has spent one unit.
    const spent = callers.answers.filter(({ source }) => source === 'store').length;
    expect(await remaining({ ...options, name: onStoreError })).toBe(1000 - spent);
    expect(before).toBe(1000 - spent + 1);
  });
});

describe.each(CHOICES)('A server that is killed, under %s,', (onStoreError) => {
  it('is replaced within the deadline, and decides soon after a restart, from its disk', async () => {
    const store = callers.closeLater(new PostgresStore({ client, timeout: TIMEOUT_MS, durable: true }));
    const limiter = createLimiter({ ...options, name: onStoreError, store, onStoreError });
    await callers.untilBack(limiter, subject);
    const before = await remaining({ ...options, name: onStoreError });
    await server.kill();
    const answers = await callers.askFor(limiter, 400, 10, subject);
    expect(sourcesOf(answers)).toEqual(new Set([onStoreError]));
    await server.run();
    await callers.untilBack(limiter, subject);
    callers.expectAllInTime();
    expect(await remaining({ ...options, name: onStoreError })).toBe(before - 1);
  });
});

it('A server that is missing at the start is replaced, and decides when it has started', async () => {
  await server.kill();
  const limiter = createLimiter({ ...options, name: 'absent', store: storeOver(client) });
  expect(sourcesOf(await callers.askFor(limiter, 200, 10, subject))).toEqual(new Set(['local']));
  await server.run();
  await callers.untilBack(limiter, subject);
  callers.expectAllInTime();
});

it('A decision waits for a lock of another transaction at most until the timeout', async () => {
  const store = storeOver(client);
  const limiter = createLimiter({ ...options, name: 'locked', store });
  await callers.untilBack(limiter, subject);
  const other = await server.pool().connect();
  await other.query('BEGIN');
  await other.query('SELECT * FROM sluice FOR UPDATE');
  expect(sourcesOf(await callers.askFor(limiter, 300, 2, subject))).toEqual(new Set(['local']));
  const { rows } = await other.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  expect(Number(rows[0].count)).toBeLessThan(3);
  await other.query('COMMIT');
  other.release();
  await callers.untilBack(limiter, subject);
});

it('A store that is closed while the server hangs is closed within the deadline', async () => {
  const store = storeOver(client);
  const limiter = createLimiter({ ...options, name: 'closing', store });
  await callers.untilBack(limiter, subject);
  server.freeze();
  await sleep(20);
  const asked = store.consume({
    checks: [{ policy: 'p', name: 'n', key: 'k', limit: slidingWindow(options), cost: 1 }],
  });
  asked.catch(() => {});
  // Otherwise this would take as long as the server is stopped.
  await store.close();
  await expect(store.consume({ checks: [] })).rejects.toThrow(SluiceError);
});
