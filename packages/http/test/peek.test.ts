import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { byHeader, createEnforcer, type HttpOptions, type HttpRequest, headerKey, ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';

const host = { requestOf: (request: HttpRequest) => request };
const ann: HttpRequest = { method: 'GET', url: '/', headers: { 'x-api-key': 'of ann' }, ip: '203.0.113.7' };
const bob: HttpRequest = { ...ann, headers: { 'x-api-key': 'of bob' }, ip: '203.0.113.8' };
const minute = (limit: number) => ({ limit, window: '1m' }) as const;

const enforcerOf = (options: HttpOptions<[HttpRequest]>) => {
  const store = new MemoryStore({ clock: new ManualClock() });
  return createEnforcer({ store, ...options }, host);
};
const wrong = (code: string) => expect.objectContaining({ code });

describe('A peek', () => {
  it('at a request returns its decision, and spends nothing', async () => {
    const { enforce, peek } = enforcerOf(minute(2));
    enforce({ ...ann });
    expect(await peek(ann)).toMatchObject({ policy: 'default', allowed: true, tightest: { remaining: 1 } });
    enforce({ ...ann });
    expect(await peek(ann)).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
    expect(await peek(bob)).toMatchObject({ allowed: true, tightest: { remaining: 2 } });
  });

  it('at a key returns its decision, and spends nothing', async () => {
    const { enforce, peek } = enforcerOf({ ...minute(9), cost: 2 });
    enforce({ ...ann });
    for (let i = 0; i < 2; i += 1) expect((await peek(ipKey('203.0.113.7'))).tightest.remaining).toBe(7);
    expect((await peek(ipKey('203.0.113.8'))).tightest.remaining).toBe(9);
    expect((await peek(ipKey('203.0.113.7'), { cost: 0 })).tightest.remaining).toBe(7);
    expect((await peek(ipKey('203.0.113.7'), { cost: 8 })).allowed).toBe(false);
  });

  it('at a key uses it in every limit, as reset does', async () => {
    const keyed = { ...minute(5), name: 'customer', keyGenerator: byHeader('x-api-key') };
    const { enforce, peek, reset } = enforcerOf({
      limits: [keyed, { ...minute(9), name: 'address' }],
      skip: () => false,
    });
    enforce({ ...ann });
    const leftOf = async () =>
      (await peek(headerKey('x-api-key', 'of ann'))).verdicts.map(({ name, remaining }) => [name, remaining]);
    expect(await leftOf()).toEqual([
      ['customer', 4],
      ['address', 9],
    ]);
    expect(await reset(headerKey('x-api-key', 'of ann'))).toBe(true);
    expect(await reset(headerKey('x-api-key', 'of ann'))).toBe(false);
    expect(await leftOf()).toEqual([
      ['customer', 5],
      ['address', 9],
    ]);
  });

  it('at a request calls the functions of the policy, and at a key cannot', async () => {
    const tier = { ...minute(9), limit: ({ ip }: HttpRequest) => (ip === ann.ip ? 5 : 3) };
    const tiered = enforcerOf(tier);
    expect([(await tiered.peek(ann)).tightest.remaining, (await tiered.peek(bob)).tightest.remaining]).toEqual([5, 3]);
    await expect(tiered.peek(ipKey('203.0.113.7'))).rejects.toEqual(wrong('SLUICE_UNSUPPORTED'));
    const dear = enforcerOf({ ...minute(9), cost: () => 4 });
    expect((await dear.peek(ann)).allowed).toBe(true);
    await expect(dear.peek(ipKey('203.0.113.7'))).rejects.toThrow(
      'the limit "per-1m" depends on the request: pass the request instead of a key (SLUICE_UNSUPPORTED)',
    );
    expect((await dear.peek(ipKey('203.0.113.7'), { cost: 10 })).allowed).toBe(false);
  });

  it('at a skipped request asks no limit', async () => {
    const { peek } = enforcerOf({ ...minute(0), skip: ({ ip }) => ip === ann.ip });
    expect([(await peek(ann)).allowed, (await peek(bob)).allowed]).toEqual([true, false]);
  });

  it.each<[code: string, key: unknown, options: unknown]>([
    ['SLUICE_KEY', [undefined], {}],
    ['SLUICE_KEY', undefined, {}],
    ['SLUICE_KEY', null, {}],
    ['SLUICE_KEY', Number.NaN, {}],
    ['SLUICE_COST', 'ann', { cost: -1 }],
    ['SLUICE_OPTION', 'ann', { price: 1 }],
    ['SLUICE_OPTION', 'ann', null],
  ])('with a mistake rejects with %s: %p, %p', async (code, key, options) => {
    const { peek } = enforcerOf(minute(1));
    await expect(peek(key as string, options as object)).rejects.toEqual(wrong(code));
  });

  it('without an argument rejects with SLUICE_KEY, as every method of a handle does', async () => {
    const handle = enforcerOf(minute(1));
    for (const verb of [handle.peek, handle.consume, handle.reserve]) {
      await expect(Reflect.apply(verb, undefined, [])).rejects.toEqual(wrong('SLUICE_KEY'));
    }
  });

  it('at a request without a key and an address says what is missing', async () => {
    const nobody: HttpRequest = { method: 'GET', url: '/', headers: {} };
    await expect(enforcerOf(minute(1)).peek(nobody)).rejects.toThrow('the request has no address to count by');
    const keyed = enforcerOf({ ...minute(1), name: 'tenant', keyGenerator: byHeader('x-tenant') });
    await expect(keyed.peek(nobody)).rejects.toThrow(
      'the keyGenerator of "tenant" returned no key, and there is no address to count by instead',
    );
  });
});
