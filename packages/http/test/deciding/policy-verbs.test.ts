import { describe, expect, it } from '@jest/globals';
import { concurrency, MemoryStore } from '@sluice/core';
import { byHeader, createEnforcer, type HttpOptions, type HttpRequest, headerKey, ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';

const host = { requestOf: (request: HttpRequest) => request };
const ann: HttpRequest = { method: 'GET', url: '/', headers: { 'x-api-key': 'of ann' }, ip: '203.0.113.7' };
const ANN = ipKey('203.0.113.7');
const minute = (limit: number) => ({ limit, window: '1m' }) as const;

const enforcerOf = (options: HttpOptions<[HttpRequest]>) =>
  createEnforcer({ store: new MemoryStore({ clock: new ManualClock() }), ...options }, host);
const wrong = (code: string) => expect.objectContaining({ code });

describe('A handle', () => {
  it('spends for a request, as the middleware would', async () => {
    const { consume, peek } = enforcerOf(minute(2));
    expect((await consume(ann)).tightest.remaining).toBe(1);
    expect((await consume(ann)).allowed).toBe(true);
    expect(await consume(ann)).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
    expect((await peek(ann)).allowed).toBe(false);
  });

  it('spends for a key, with a given cost', async () => {
    const { consume, peek } = enforcerOf({ ...minute(9), cost: 2 });
    expect((await consume(ANN)).tightest.remaining).toBe(7);
    expect((await consume(ANN, { cost: 7 })).tightest.remaining).toBe(0);
    expect((await consume(ANN, { cost: 0 })).allowed).toBe(true);
    expect((await peek(ANN)).allowed).toBe(false);
  });

  it('reserves for a request and for a key, to be corrected once', async () => {
    const { reserve, peek } = enforcerOf({ ...minute(9), keyGenerator: byHeader('x-api-key') });
    const left = async () => (await peek(ann)).tightest.remaining;
    const first = await reserve(ann);
    await first.settle(5);
    expect(await left()).toBe(4);
    const second = await reserve(headerKey('x-api-key', 'of ann'), { cost: 4 });
    expect(await left()).toBe(0);
    await second.cancel();
    await second.cancel();
    expect(await left()).toBe(4);
  });

  it('reserves for a key until it expires, and refuses these options for requests', async () => {
    const clock = new ManualClock();
    const { reserve, peek, consume } = enforcerOf({ ...minute(9), store: new MemoryStore({ clock }) });
    await reserve(ANN, { cost: 4, expires: '10s', onExpiry: 'giveBack' });
    expect((await peek(ANN)).tightest.remaining).toBe(5);
    clock.advance('10s');
    await new Promise((resolve) => setImmediate(resolve));
    expect((await peek(ANN)).tightest.remaining).toBe(9);
    await expect(reserve(ANN, { onExpiry: 'keep' })).rejects.toEqual(wrong('SLUICE_OPTION'));
    await expect(consume(ANN, { expires: '1s' } as object)).rejects.toEqual(wrong('SLUICE_OPTION'));
    expect((await peek(ANN)).tightest.remaining).toBe(9);
  });

  it('holds a slot only with reserve', async () => {
    const { consume, reserve, peek } = enforcerOf({ limit: concurrency({ limit: 1, lease: '30s' }) });
    await expect(consume(ANN)).rejects.toEqual(wrong('SLUICE_UNSUPPORTED'));
    const held = await reserve(ANN);
    expect((await reserve(ann)).allowed).toBe(false);
    await held.settle();
    expect((await peek(ann)).allowed).toBe(true);
  });

  it('allows a skipped request, with nothing to correct', async () => {
    const { consume, reserve } = enforcerOf({ ...minute(1), skip: ({ url }) => url === '/' });
    for (let i = 0; i < 3; i += 1) expect((await consume(ann)).allowed).toBe(true);
    const skipped = await reserve(ann);
    expect([skipped.allowed, await skipped.cancel()]).toEqual([true, undefined]);
  });

  it('reports an unsupported call, and spends nothing', async () => {
    const { consume, reserve, peek } = enforcerOf({ ...minute(5), cost: ({ url }) => url.length });
    for (const verb of [consume, reserve]) {
      await expect(verb(ANN)).rejects.toEqual(wrong('SLUICE_UNSUPPORTED'));
      await expect(verb('ann', { cost: -1 })).rejects.toEqual(wrong('SLUICE_COST'));
      await expect(verb('ann', { price: 1 } as object)).rejects.toEqual(wrong('SLUICE_OPTION'));
    }
    expect((await peek(ann)).tightest.remaining).toBe(5);
    await expect(enforcerOf(minute(5)).consume(undefined as unknown as string)).rejects.toEqual(wrong('SLUICE_KEY'));
  });
});
