import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { createEnforcer, type HttpRequest } from '@sluice/core/http';
import { remoteStore } from '../../../src/stores/remote/remote-store.js';
import { systemClock } from '../../../src/values/clock.js';
import { AsyncStore } from '../../limiter/async-store.js';
import { RemoteMemory } from './remote-memory.js';

const ten = { limit: 10, window: '1h' } as const;

describe('A deadline and a breaker', () => {
  it('protect every remote store, one for each', () => {
    const store = new RemoteMemory(systemClock);
    expect(remoteStore(store)).not.toBe(store);
    expect(remoteStore(store)).toBe(remoteStore(store));
    expect(remoteStore(remoteStore(store))).toBe(remoteStore(store));
    expect(remoteStore(store)).not.toBe(remoteStore(new RemoteMemory(systemClock)));
  });

  it('protect no other store', () => {
    for (const store of [new MemoryStore(), new AsyncStore()]) expect(remoteStore(store)).toBe(store);
  });

  it('keep a policy name for one options object', () => {
    const store = new RemoteMemory(systemClock);
    const options = { ...ten, store };
    createLimiter(options);
    createLimiter(options);
    expect(() => createLimiter({ ...ten, store })).toThrow(expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }));
  });

  it('also exist for adapters', async () => {
    const store = new RemoteMemory(systemClock);
    store.freeze();
    const request = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.1' };
    const { enforce } = createEnforcer<[HttpRequest]>(
      { ...ten, store, onStoreError: 'deny' },
      { requestOf: (req) => req, proxyTrust: () => 'none' },
    );
    await expect(enforce(request)).resolves.toMatchObject({ reservation: { allowed: false, source: 'deny' } });
  });
});
