import { describe, expect, it } from '@jest/globals';
import { slidingWindow, tokenBucket, unlimited } from '@sluice/core';
import { createEnforcer, type HttpOptions, type HttpRequest } from '@sluice/core/http';
import { manualStore } from '@sluice/test-kit/manual-store';

type Request = HttpRequest;
type Options = HttpOptions<[Request]>;

const host = { requestOf: (request: Request) => request, proxyTrust: () => 'none' as const };
const request = (): Request => ({ ip: '192.0.2.1', headers: {}, method: 'GET', url: '/' });

const counted = slidingWindow({ limit: 1, window: '1m', countRejected: true });
const blocking = slidingWindow({ limit: 1, window: '1m', blockDuration: '1h' });

describe('maxWait', () => {
  it.each<[string, object]>([
    ['maxWait', { maxWait: 0 }],
    ['maxWait', { maxWait: 'soon' }],
    ['maxWait', { limit: counted, window: undefined, maxWait: '1s' }],
    ['maxWait', { limit: blocking, window: undefined, maxWait: '1s' }],
    [
      'maxWait',
      {
        limit: undefined,
        window: undefined,
        limits: [slidingWindow({ limit: 1, window: '1ms' }), blocking],
        maxWait: 1,
      },
    ],
    ['reconsider', { limit: counted, window: undefined, reconsider: () => false }],
    ['reconsider', { limit: blocking, window: undefined, reconsider: () => false }],
    ['waiting', { maxWait: '1s', waiting: 0 }],
    ['waiting', { waiting: 5 }],
  ])('refuses a wrong %s: %p', (path, own) => {
    const options = { limit: 1, window: '1m', ...own } as Options;
    expect(() => createEnforcer(options, host)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it.each([
    ['maxWait', { maxWait: '1s' }],
    ['reconsider', { reconsider: () => true }],
  ] as const)('refuses such a limit beside %s also when a function returns it', async (path, own) => {
    for (const limit of [counted, blocking]) {
      const { enforce } = createEnforcer<[Request]>({ name: 'tiers', limit: () => limit, ...own }, host);
      await expect((async () => enforce(request()))()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path });
    }
  });

  it('takes a bound for requests that a policy lets wait later', () => {
    expect(() => createEnforcer({ name: 'off', limits: [unlimited()], waiting: 5 }, host)).not.toThrow();
  });

  it('admits at once, without a promise, as long as there is room', () => {
    const { enforce } = createEnforcer<[Request]>({ limit: 1, window: '1m', maxWait: '1s' }, host);
    expect(enforce(request())).toMatchObject({ reservation: { allowed: true, delayMs: 0 }, turn: undefined });
  });

  it('waits as long as it may without a host that tells of clients who leave', async () => {
    const { clock, store } = manualStore();
    const limit = tokenBucket({ capacity: 1, refillRate: 1 });
    const { enforce } = createEnforcer<[Request]>({ limit, maxWait: '1s', store }, host);
    enforce(request());
    const waiting = enforce(request());
    await clock.untilSleeping(1);
    clock.advance('1s');
    expect(await waiting).toMatchObject({ reservation: { allowed: true } });
  });

  it('counts waiting requests by the smallest bound of the policy', async () => {
    const { store } = manualStore();
    const limit = tokenBucket({ capacity: 1, refillRate: 1 });
    const slowDown = { after: 0, by: 1, upTo: 1, waiting: 1 };
    const { enforce } = createEnforcer<[Request]>(
      { limits: [limit, { limit: 9, window: '1m', slowDown }], maxWait: '1m', waiting: 5, store },
      host,
    );
    void enforce(request());
    void enforce(request());
    const tooMany = await enforce(request());
    expect(await tooMany?.refuse?.(() => false)).toMatchObject({ status: 503 });
    store.close();
  });

  it('fails with the error of a store that was closed, for all who wait', async () => {
    const { store } = manualStore();
    const limit = tokenBucket({ capacity: 1, refillRate: 1 });
    const { enforce } = createEnforcer<[Request]>({ limit, maxWait: '1m', store }, host);
    enforce(request());
    const waiting = enforce(request());
    store.close();
    await expect(waiting).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
