import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { createEnforcer, type HttpRequest } from '@sluice/core/http';
import { systemClock } from '@sluice/core/src/values/clock';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { protectStore } from '../../src/guard/remote-store.js';
import { RemoteMemory } from './remote-memory.js';

const ten = { limit: 10, window: '1h' } as const;

describe('A deadline and a breaker', () => {
  it('protect every remote store, one for each', () => {
    const store = new RemoteMemory(systemClock);
    expect(protectStore(store)).not.toBe(store);
    expect(protectStore(store)).toBe(protectStore(store));
    expect(protectStore(protectStore(store))).toBe(protectStore(store));
    expect(protectStore(store)).not.toBe(protectStore(new RemoteMemory(systemClock)));
  });

  it('protect no other store', () => {
    for (const store of [new MemoryStore(), new AsyncStore()]) expect(protectStore(store)).toBe(store);
  });

  it('are brought by the store: without them it is no store over a network', () => {
    const store = Object.assign(new AsyncStore(), { remote: { timeoutMs: 50, instances: 1 } as never });
    expect(() => createLimiter({ ...ten, store })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'store.remote.protect' }),
    );
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
