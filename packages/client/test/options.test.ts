import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, slidingWindow } from '@sluice/core';
import { type LimitedFetchOptions, limitedFetch } from '../src/index.js';

describe('options', () => {
  it.each<[path: string, options: object]>([
    ['name', { name: '' }],
    ['key', { key: 'a' }],
    ['store', { store: {} }],
    ['limit', { limit: 100 }],
    ['limit', { limit: 'guess' }],
    ['limit.quota', { limit: { ...slidingWindow({ limit: 1, window: '1s' }), quota: -1 } }],
    ['pace', { pace: 'slow' }],
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 'automatic' }],
    ['concurrency', { concurrency: null }],
    ['concurrency', { concurrency: 1.5 }],
    ['concurrency.adaptiv', { concurrency: { adaptiv: {} } }],
    ['concurrency.adaptive', { concurrency: { adaptive: true } }],
    ['concurrency.adaptive', { concurrency: {} }],
    ['concurrency.adaptive.least', { concurrency: { adaptive: { least: 1 } } }],
    ['concurrency.adaptive.initial', { concurrency: { adaptive: { initial: 0 } } }],
    ['concurrency.adaptive.initial', { concurrency: { adaptive: { initial: 10_001 } } }],
    ['concurrency.adaptive.max', { concurrency: { adaptive: { initial: 5, max: 4 } } }],
    ['concurrency.adaptive.max', { concurrency: { adaptive: { max: 10_001 } } }],
    ['concurrency.adaptive.timeout', { concurrency: { adaptive: { timeout: 0 } } }],
    ['concurrency.adaptive.timeout', { concurrency: { adaptive: { timeout: 'soon' } } }],
    ['concurrency', { concurrency: 10_001 }],
    ['retry', { retry: true }],
    ['retry.attempts', { retry: { attempts: 0 } }],
    ['retry.attempts', { retry: { attempts: 11 } }],
    ['retry.methods', { retry: { methods: 'GET' } }],
    ['retry.methods', { retry: { methods: [1] } }],
    ['retry.budget', { retry: { budget: 0 } }],
    ['retry.budget', { retry: { budget: 1.1 } }],
    ['retry.budget', { retry: { budget: Number.NaN } }],
    ['retry.base', { retry: { base: '0s' } }],
    ['retry.maxWait', { retry: { maxWait: '1s' } }],
    ['maxWait', { maxWait: -1 }],
    ['random', { random: 4 }],
    ['fetch', { fetch: 'http' }],
    ['windows', { windows: 1 }],
    ['limiter', { limiter: {}, subject: () => 'a', key: () => 'a' }],
    ['subject', { limiter: createLimiter({ limit: 1, window: '1s' }), key: () => 'a' }],
    ['key', { limiter: createLimiter({ limit: 1, window: '1s' }), subject: () => 'a' }],
    ['charge', { limiter: createLimiter({ limit: 1, window: '1s' }), subject: () => 'a', key: () => 'a', charge: 1 }],
    ['store', { limiter: createLimiter({ limit: 1, window: '1s' }), store: new MemoryStore() }],
  ])('are refused where %s is wrong: %j', (path, options) => {
    expect(() => limitedFetch(options as LimitedFetchOptions)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });

  it.each([null, 5, 'a'])('are an object, not %j', (options) => {
    expect(() => limitedFetch(options as unknown as LimitedFetchOptions)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION' }),
    );
  });

  it('with one name are refused on one store, unless they are the same object', () => {
    const options = { name: 'api', store: new MemoryStore() };
    limitedFetch(options);
    expect(() => limitedFetch({ ...options })).toThrow(expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }));
    expect(() => limitedFetch(options)).not.toThrow();
  });

  it('can all be left out, and make a fetch like any other', async () => {
    const api: typeof fetch = limitedFetch();
    await expect(api('data:text/plain,hello').then((response) => response.text())).resolves.toBe('hello');
  });

  it('are not changed', () => {
    const options = Object.freeze({ retry: Object.freeze({ methods: Object.freeze(['get']) }) });
    expect(() => limitedFetch(options)).not.toThrow();
  });
});
