import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter } from '@sluice/core';
import { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { clientOver } from '../client-over.js';
import { type Answered, Callers, DEFAULT_MS, sleep, slownessOf } from './callers.js';

const LIMIT = { limit: 1_000_000, window: '1h' } as const;
/** A deadline that is long enough on a machine which is busy with other tests. */
const AMPLE_MS = 500;

let cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

function clockOfServer(): MovableClock {
  const clock = new MovableClock();
  cleanUps.push(() => clock.remove());
  return clock;
}

async function serverBy(clock: MovableClock): Promise<{ server: RedisServer; client: Redis; callers: Callers }> {
  const server = await RedisServer.start([], clock);
  const client = new Redis(server.port);
  const callers = new Callers();
  cleanUps.push(
    () => server.stop(),
    () => client.disconnect(),
    () => callers.close(),
  );
  return { server, client, callers };
}

const strays = (answers: readonly Answered[]): number => answers.filter(({ source }) => source !== 'store').length;

describe('A node of a cluster whose clock is ahead', () => {
  it.each([
    [200, 2 * DEFAULT_MS],
    [1000, AMPLE_MS],
    [-1000, AMPLE_MS],
  ])('by %d ms decides about its keys as the others do, with a deadline of %d ms', async (aheadMs, timeoutMs) => {
    const clocks = [1, 2, 3].map(clockOfServer);
    const cluster = await RedisCluster.start(clocks);
    const client = cluster.connect();
    const callers = new Callers();
    cleanUps.push(
      () => cluster.stop(),
      () => client.disconnect(),
      () => callers.close(),
    );
    await client.ping();
    // On a slow machine both are longer.
    const slowness = Math.max(...(await Promise.all(client.nodes('master').map(slownessOf))));
    clocks[1]?.runAhead(slowness * aheadMs);
    const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);
    // It is random which node a process asks first.
    const limiters = [1, 2, 3, 4].map((i) =>
      createLimiter({ ...LIMIT, name: `process-${i}`, store: callers.storeOver(client, slowness * timeoutMs) }),
    );
    for (const limiter of limiters) {
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(users.map((user) => callers.ask(limiter, user)));
        await sleep(10);
      }
    }
    // Of a third of them the node has the keys.
    expect(strays(callers.answers)).toBeLessThan(callers.answers.length / 6);
  });
});

describe('A server whose clock steps', () => {
  it.each([10_000, -10_000])('by %d ms under load decides again within a second', async (stepMs) => {
    const clock = clockOfServer();
    const { client, callers } = await serverBy(clock);
    const limiter: Limiter<string, true> = createLimiter({ ...LIMIT, store: callers.storeOver(client, AMPLE_MS) });
    await callers.untilBack(limiter);
    await callers.askFor(limiter, 300);
    clock.runAhead(stepMs);
    const stepped = await callers.askFor(limiter, 1000);
    const after = await callers.askFor(limiter, 500);
    // Only the requests that were on their way.
    expect(strays(stepped)).toBeLessThan(stepped.length / 10);
    expect(strays(after)).toBe(0);
  });

  it('back still charges nothing after the deadline', async () => {
    const clock = clockOfServer();
    const { server, client, callers } = await serverBy(clock);
    const limiter = createLimiter({ ...LIMIT, store: callers.storeOver(client, AMPLE_MS) });
    await callers.untilBack(limiter);
    await callers.askFor(limiter, 100);
    clock.runAhead(-10_000);
    await callers.untilBack(limiter);
    const own = new Redis(server.port);
    cleanUps.push(() => own.disconnect());
    const watcher = clientOver(own, (command, args, send) => send(command, args));
    const look = createLimiter({ ...LIMIT, store: callers.storeOver(watcher, 5000) });
    const { remaining } = (await look.peek('ann')).tightest;
    await server.freeze();
    await sleep(20);
    for (let i = 0; i < 3; i += 1) expect((await callers.ask(limiter)).source).toBe('local');
    await server.thaw();
    expect((await look.peek('ann')).tightest.remaining).toBe(remaining);
  });
});
