import { describe, expect, it } from '@jest/globals';
import { fixedWindow } from '@sluice/core';
import { ShardedStore } from '@sluice/core/distributed';
import { systemClock } from '@sluice/core/src/values/clock';
import { RemoteStore } from '../../src/guard/remote-store.js';
import { RemoteCluster } from './remote-cluster.js';
import { RemoteMemory } from './remote-memory.js';

const peek = { checks: [], peek: true } as const;

it('Closing waits for running calls', async () => {
  const remote = new RemoteMemory(systemClock, 1000);
  const store = new RemoteStore(remote);
  await store.consume(peek);
  const thaw = remote.freeze();
  const answer = store.consume(peek);
  let isClosed = false;
  const closed = store.close().then(() => {
    isClosed = true;
  });
  await systemClock.sleep(5);
  expect(isClosed).toBe(false);
  thaw();
  await expect(answer).resolves.toMatchObject({ allowed: true });
  await closed;
  await expect(store.consume(peek)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
});

it('Closing waits no longer than the deadline, and ends the probes', async () => {
  const remote = new RemoteMemory(systemClock, 20);
  const store = new RemoteStore(remote);
  const thaw = remote.freeze();
  const answers = Promise.allSettled(Array.from({ length: 6 }, () => store.consume(peek)));
  await store.close();
  expect((await answers).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  const before = remote.calls;
  await systemClock.sleep(300);
  expect(remote.calls).toBe(before);
  thaw();
});

describe('Closing waits for a request that several servers decide, and for units to give back', () => {
  const limit = fixedWindow({ limit: 1, window: '1h' });
  const checks = ['a', 'b'].map((name) => ({ policy: 'p', name, limit, key: `${name}:ann`, cost: 1 }));

  it.each([
    ['of one store', (nodes: RemoteCluster) => new RemoteStore(nodes)],
    ['of a sharded store', ({ nodes }: RemoteCluster) => new ShardedStore({ nodes })],
  ])('%s', async (_, over) => {
    const remote = new RemoteCluster(systemClock, { a: systemClock, b: systemClock }, 1000);
    const store = over(remote);
    await store.consume({ checks: checks.slice(1) });
    await store.consume({ checks, peek: true });
    const nodes = Object.values(remote.nodes);
    const thaws = nodes.map((node) => node.freeze());
    const refused = store.consume({ checks });
    const closed = store.close();
    for (const thaw of thaws) thaw();
    await expect(refused).resolves.toMatchObject({ allowed: false, verdicts: [{ remaining: 1 }, { remaining: 0 }] });
    await closed;
    await expect(store.consume({ checks })).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
