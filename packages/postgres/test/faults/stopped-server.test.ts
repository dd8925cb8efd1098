import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type PolicyOptions, SluiceError, slidingWindow } from '@sluice/core';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { Audience, admittedOf, CHOICES, sleep, sourcesOf, TIMEOUT_MS } from '../../../redis/test/faults/audience.js';
import { PostgresStore } from '../../src/index.js';

/** What a connection may take that a machine gone without a word never makes. */
const CONNECT_MS = 400;

const options = { limit: 1000, window: '1h' } as const;

let server: PostgresServer;
let audience: Audience;
let client: Pool;
let subjects = 0;
let subject: string;

withPostgres((_, given) => {
  server = given;
});

beforeEach(() => {
  audience = new Audience();
  client = server.pool({ connectionTimeoutMillis: CONNECT_MS });
  subjects += 1;
  subject = `subject-${subjects}`;
});

afterEach(async () => {
  server.thaw();
  await audience.leave();
}, 180_000);

const storeOver = (pool: Pool, timeout = TIMEOUT_MS): PostgresStore =>
  audience.closeLater(new PostgresStore({ client: pool, timeout }));

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
    await audience.untilBack(limiter, subject);
    const before = await remaining({ ...options, name: onStoreError });
    server.freeze();
    await sleep(20);
    const answers = await audience.askFor(limiter, 600, 10, subject);
    expect(sourcesOf(answers)).toEqual(new Set([onStoreError]));
    if (onStoreError === 'deny') expect(admittedOf(answers)).toBe(0);
    server.thaw();
    await audience.untilBack(limiter, subject);
    audience.expectAllInTime();
    // What was sent while it was stopped has run by now. Each answer by the store since then has spent one unit.
    const spent = audience.answers.filter(({ source }) => source === 'store').length;
    expect(await remaining({ ...options, name: onStoreError })).toBe(1000 - spent);
    expect(before).toBe(1000 - spent + 1);
  });
});

describe.each(CHOICES)('A server that is killed, under %s,', (onStoreError) => {
  it('is replaced within the deadline, and decides soon after a restart, from its disk', async () => {
    const store = audience.closeLater(new PostgresStore({ client, timeout: TIMEOUT_MS, durable: true }));
    const limiter = createLimiter({ ...options, name: onStoreError, store, onStoreError });
    await audience.untilBack(limiter, subject);
    const before = await remaining({ ...options, name: onStoreError });
    await server.kill();
    const answers = await audience.askFor(limiter, 400, 10, subject);
    expect(sourcesOf(answers)).toEqual(new Set([onStoreError]));
    await server.run();
    await audience.untilBack(limiter, subject);
    audience.expectAllInTime();
    expect(await remaining({ ...options, name: onStoreError })).toBe(before - 1);
  });
});

it('A server that is missing at the start is replaced, and decides when it has started', async () => {
  await server.kill();
  const limiter = createLimiter({ ...options, name: 'absent', store: storeOver(client) });
  expect(sourcesOf(await audience.askFor(limiter, 200, 10, subject))).toEqual(new Set(['local']));
  await server.run();
  await audience.untilBack(limiter, subject);
  audience.expectAllInTime();
});

it('A decision waits for a lock of another transaction at most until the timeout', async () => {
  const store = storeOver(client);
  const limiter = createLimiter({ ...options, name: 'locked', store });
  await audience.untilBack(limiter, subject);
  const other = await server.pool().connect();
  await other.query('BEGIN');
  await other.query('SELECT * FROM sluice FOR UPDATE');
  expect(sourcesOf(await audience.askFor(limiter, 300, 2, subject))).toEqual(new Set(['local']));
  const { rows } = await other.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  expect(Number(rows[0].count)).toBeLessThan(3);
  await other.query('COMMIT');
  other.release();
  await audience.untilBack(limiter, subject);
});

it('A store that is closed while the server hangs is closed within the deadline', async () => {
  const store = storeOver(client);
  const limiter = createLimiter({ ...options, name: 'closing', store });
  await audience.untilBack(limiter, subject);
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
