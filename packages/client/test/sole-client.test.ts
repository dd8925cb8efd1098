import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { limitedFetch } from '../src/index.js';
import { limitedServer } from './limited-server.js';

const IS_FULL = process.env.SLUICE_CLIENT === 'full';
const REQUESTS = IS_FULL ? 10_000 : 300;

describe('a sole client', () => {
  it('learns the limit of a server, uses at least 90 % of it, and is never refused', async () => {
    const clock = new QueueClock();
    const server = limitedServer(clock, { limit: 100, window: '10s' });
    const api = limitedFetch({ fetch: server.fetch, store: new MemoryStore({ clock }), maxWait: '1d' });
    const startMs = clock.now();
    const calls = Array.from({ length: REQUESTS }, () => api('http://server.example/'));
    await runByClock(clock, Promise.all(calls), 50);
    const windows = (clock.now() - startMs) / 10_000;
    expect(server.statuses).toEqual(new Map([[200, REQUESTS]]));
    // The first hundred need no time.
    expect((REQUESTS - 100) / windows).toBeGreaterThanOrEqual(90);
    if (IS_FULL) process.stdout.write(`client: ${REQUESTS} requests of a sole client, none refused\n`);
  }, 600_000);
});
