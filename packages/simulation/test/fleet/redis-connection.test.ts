import { expect, it } from '@jest/globals';
import { RedisConnection } from '../../src/fleet/clients/redis-connection.js';
import type { Database } from '../../src/fleet/servers/server-node.js';
import { ServerNode } from '../../src/fleet/servers/server-node.js';
import type { SimulatedRedis } from '../../src/redis/simulated-redis.js';
import { PHASE } from '../../src/world/event-queue.js';
import { Link } from '../../src/world/link.js';
import { World } from '../../src/world/world.js';

/** A connection on which half of all packets are late by up to a second, and when its replies arrive. */
function slowConnection(seed: number) {
  const world = new World(seed);
  const owner = { name: 'p', isAlive: true, busyUntilMs: 0, enter: () => {} };
  const network = { delayMs: [1, 1], slow: 0.5, slowMs: 1000, breaks: 0, twice: 0 } as const;
  const link = new Link(world, network, owner, 'p to s');
  const arrivals: number[] = [];
  const redis = { execute: () => 'OK' } as unknown as SimulatedRedis;
  const node = new ServerNode(world, {} as Database);
  const connection = new RedisConnection(link, node, redis, {
    reply: () => arrivals.push(world.nowMs),
    broken: () => {},
  });
  return { world, connection, arrivals };
}

it('Commands that are sent at the same moment travel together, and so do their replies', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { world, connection, arrivals } = slowConnection(seed);
    for (let i = 0; i < 100; i += 1) connection.send({ name: 'PING', args: [] });
    await world.run(3000);
    expect(arrivals).toHaveLength(100);
    expect((arrivals.at(-1) as number) - (arrivals[0] as number)).toBeLessThan(1);
  }
});

it('Commands that are sent one after another are late each for itself, in their order', async () => {
  const { world, connection, arrivals } = slowConnection(3);
  for (let i = 0; i < 20; i += 1) {
    world.after(i * 10, PHASE.network, () => connection.send({ name: 'PING', args: [] }));
  }
  await world.run(5000);
  expect(arrivals).toHaveLength(20);
  expect(arrivals).toEqual([...arrivals].sort((a, b) => a - b));
  expect((arrivals.at(-1) as number) - (arrivals[0] as number)).toBeGreaterThan(100);
});
