import { expect, it } from '@jest/globals';
import { systemClock } from '../../src/clock.js';
import { ResilientStore } from '../../src/resilience/resilient-store.js';
import { RemoteMemory } from './remote-memory.js';

const look = { checks: [], look: true } as const;

it('Closing waits for what is under way', async () => {
  const remote = new RemoteMemory(systemClock, 1000);
  const store = new ResilientStore(remote);
  await store.consume(look);
  const thaw = remote.freeze();
  const answer = store.consume(look);
  let isClosed = false;
  const closed = store.close().then(() => {
    isClosed = true;
  });
  await systemClock.sleep(5);
  expect(isClosed).toBe(false);
  thaw();
  await expect(answer).resolves.toMatchObject({ allowed: true });
  await closed;
  await expect(store.consume(look)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
});

it('Closing waits no longer than the deadline, and ends the probes', async () => {
  const remote = new RemoteMemory(systemClock, 20);
  const store = new ResilientStore(remote);
  const thaw = remote.freeze();
  const answers = Promise.allSettled(Array.from({ length: 6 }, () => store.consume(look)));
  await store.close();
  expect((await answers).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  const before = remote.calls;
  await systemClock.sleep(300);
  expect(remote.calls).toBe(before);
  thaw();
});
