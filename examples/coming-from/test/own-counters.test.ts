import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Limiter } from '@sluice/core';
import type { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import { createNode, leased, mostOf, synced } from '../src/own-counters.js';
import { redisForTests } from './each-store.js';

const NODES = 3;
const LIMIT = 100;
const SLICE = LIMIT / 10;

/** What a node with a local counter and a thread did: it asks when a tenth of the limit is not reported yet. */
class OldNode {
  #known = 0;
  #unreported = 0;

  constructor(readonly global: { count: number }) {}

  /** The thread, every five seconds. */
  synchronize(): void {
    this.global.count += this.#unreported;
    this.#unreported = 0;
    this.#known = this.global.count;
  }

  admits(): boolean {
    if (this.#unreported === SLICE) this.synchronize();
    if (this.#known + this.#unreported >= LIMIT) return false;
    this.#unreported += 1;
    return true;
  }
}

it('S12: three old nodes admit 120 of a limit of 100, in the worst order', () => {
  const global = { count: 0 };
  const [first, ...others] = Array.from({ length: NODES }, () => new OldNode(global)) as [OldNode, ...OldNode[]];
  let admitted = 0;
  // Two nodes have not heard of anything yet, and admit a tenth each. They would ask for the next.
  for (const node of others) for (let i = 0; i < SLICE; i += 1) if (node.admits()) admitted += 1;
  // The thread of neither has run when the other node spends the whole limit.
  for (let i = 0; i < 2 * LIMIT; i += 1) if (first.admits()) admitted += 1;
  expect(admitted).toBe(LIMIT + (NODES - 1) * SLICE);
  for (const node of [first, ...others]) node.synchronize();
  expect([first, ...others].some((node) => node.admits())).toBe(false);
});

it('S12: the bound of three nodes here is 130, for any 55 seconds', () => {
  expect(mostOf(NODES)).toBe(130);
});

describe('three nodes over one Redis', () => {
  const redis = redisForTests();
  let clock: ManualClock;
  let clients: Redis[];
  let stores: (SyncedStore | LeasedStore)[];

  beforeEach(() => {
    clock = new ManualClock();
    clients = Array.from({ length: NODES }, () => redis.client.duplicate());
  });

  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    for (const client of clients) client.disconnect();
  });

  /** What the nodes admit within 55 seconds, while each is asked four times a second. */
  async function admittedBy(storeOf: typeof synced | typeof leased): Promise<number> {
    stores = clients.map((client) => storeOf(new RedisStore({ client, clock, timeout: '30s', instances: NODES })));
    const nodes: readonly Limiter<string, true>[] = stores.map(createNode);
    let admitted = 0;
    for (let i = 0; i < 4 * 55; i += 1) {
      for (const node of nodes) if ((await node.consume('all')).allowed) admitted += 1;
      clock.advance('250ms');
    }
    return admitted;
  }

  it('S12: synchronized counters admit at most 130', async () => {
    const admitted = await admittedBy(synced);
    expect(admitted).toBeGreaterThanOrEqual(LIMIT);
    expect(admitted).toBeLessThanOrEqual(mostOf(NODES));
  });

  it('S12: leased counters admit at most 100', async () => {
    const admitted = await admittedBy(leased);
    expect(admitted).toBeGreaterThan(LIMIT / 2);
    expect(admitted).toBeLessThanOrEqual(LIMIT);
  });
});
