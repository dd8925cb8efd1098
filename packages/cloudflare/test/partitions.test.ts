import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, fixedWindow, type PolicyOptions, slidingWindow, unlimited } from '@sluice/core';
import { DurableObjectStore } from '../src/index.js';
import { TestNamespace } from './objects.js';

const A_SECOND = fixedWindow({ limit: 10, window: '1s' });
const A_MINUTE = slidingWindow({ limit: 100, window: '1m' });

interface Call {
  readonly tenant: string;
  readonly user: string;
}

const byUser = ({ tenant, user }: Call): string => `${tenant}/${user}`;
const byTenant = ({ tenant }: Call): string => tenant;

const limiterOf = (store: DurableObjectStore, limits: PolicyOptions<[Call]>['limits']) =>
  createLimiter<Call>({ name: 'api', limits, store, keyGenerator: byUser, onStoreError: 'deny' } as never);

describe('Without a partition', () => {
  it('each key of a policy has an object of its own, which decides about all limits of the policy', async () => {
    const namespace = new TestNamespace();
    const limiter = limiterOf(new DurableObjectStore({ namespace }), [A_SECOND, A_MINUTE]);
    for (const user of ['ann', 'bob', 'ann']) expect((await limiter.consume({ tenant: 't', user })).allowed).toBe(true);
    expect([...namespace.objects].map(([name, { messages }]) => [name, messages])).toEqual([
      ['api\nt/ann', 2],
      ['api\nt/bob', 1],
    ]);
  });

  it('a policy of several keys is refused when it is made', () => {
    const store = new DurableObjectStore({ namespace: new TestNamespace() });
    const limits = [A_SECOND, { limit: A_MINUTE, keyGenerator: byTenant }];
    expect(() => limiterOf(store, limits)).toThrow(
      'partition must be given, because the limits "per-1s" and "per-1m" count by different keys',
    );
  });

  it('limits with the same function have the same key, wherever the function is named', () => {
    const store = new DurableObjectStore({ namespace: new TestNamespace() });
    const limits = [
      A_SECOND,
      { limit: A_MINUTE, keyGenerator: byUser },
      { limit: unlimited(), keyGenerator: byTenant },
    ];
    expect(() => limiterOf(store, limits)).not.toThrow();
  });

  it('a further part of a key makes another key', () => {
    const store = new DurableObjectStore({ namespace: new TestNamespace() });
    expect(() => limiterOf(store, [A_SECOND, { limit: A_MINUTE, partition: byTenant }])).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'partition' }),
    );
  });

  it('a guarantee is refused when the policy is made, and with the request', async () => {
    const store = new DurableObjectStore({ namespace: new TestNamespace() });
    const limit = concurrency({ limit: 10, lease: '10s' });
    const guarantee = { keyGenerator: byTenant, limit: 1, total: 5 };
    expect(() => createLimiter<Call>({ name: 'parts', limit, keyGenerator: byTenant, guarantee, store })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'partition' }),
    );
    const check = { policy: 'p', name: 'whole', key: 'all', limit: A_MINUTE, cost: 1 };
    const part = { ...check, name: 'part', shadow: true } as const;
    await expect(
      store.consume({ checks: [{ ...check, parts: { own: part, all: { ...part, name: 'parts' }, lend: 1 } }] }),
    ).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
  });

  it('whoever asks the store itself may ask about several keys: their objects decide one after another', async () => {
    const namespace = new TestNamespace();
    const store = new DurableObjectStore({ namespace });
    const checkOf = (key: string, quota: number) => ({
      policy: 'api',
      name: `limit of ${quota}`,
      key,
      limit: fixedWindow({ limit: quota, window: '1h' }),
      cost: 1,
    });
    const checks = [checkOf('ann', 5), checkOf('bob', 1)];
    expect((await store.consume({ checks })).allowed).toBe(true);
    expect((await store.consume({ checks })).allowed).toBe(false);
    const { verdicts } = await store.consume({ checks, peek: true });
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([4, 0]);
    const { result } = await store.adjust({ checks: checks.map((check) => ({ ...check, cost: -1 })) });
    expect(result).toBe('applied');
    expect((await store.consume({ checks })).allowed).toBe(true);
    expect(await store.reset(checks)).toBe(2);
    expect([...namespace.objects.keys()]).toEqual(['api\nann', 'api\nbob']);
  });

  it('a request without checks asks no object', async () => {
    const namespace = new TestNamespace();
    const store = new DurableObjectStore({ namespace });
    expect(await store.consume({ checks: [] })).toMatchObject({ allowed: true, verdicts: [] });
    expect(await store.adjust({ checks: [] })).toMatchObject({ result: 'expired', verdicts: [] });
    expect(namespace.objects.size).toBe(0);
  });

  it('keys cannot be blocked by hand', async () => {
    const limiter = createLimiter({
      limit: 1,
      window: '1m',
      store: new DurableObjectStore({ namespace: new TestNamespace() }),
    });
    await expect(limiter.block('ann', '1h')).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
  });
});

describe('With a function as partition', () => {
  const tenantOf = ({ key }: { readonly key: string }): string => key.split('/')[0] as string;

  it('one object decides about all keys of a partition', async () => {
    const namespace = new TestNamespace();
    const store = new DurableObjectStore({ namespace, partition: tenantOf });
    const limits = [
      fixedWindow({ limit: 2, window: '1h', name: 'user' }),
      { name: 'tenant', limit: 3, window: '1h', keyGenerator: byTenant },
    ];
    const limiter = limiterOf(store, limits as never);
    const ask = async (tenant: string, user: string): Promise<boolean> =>
      (await limiter.consume({ tenant, user })).allowed;
    expect([await ask('acme', 'ann'), await ask('acme', 'ann'), await ask('acme', 'ann')]).toEqual([true, true, false]);
    expect([await ask('acme', 'bob'), await ask('acme', 'bob'), await ask('other', 'bob')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([...namespace.objects.keys()]).toEqual(['acme', 'other']);
  });

  it('a request whose keys have several partitions fails, and counts nothing', async () => {
    const namespace = new TestNamespace();
    const store = new DurableObjectStore({ namespace, partition: ({ key }) => key });
    const limiter = limiterOf(store, [A_SECOND, { limit: A_MINUTE, keyGenerator: byTenant }]);
    await expect(limiter.consume({ tenant: 'acme', user: 'ann' })).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
    });
    expect(namespace.objects.size).toBe(0);
  });
});

it('Stores of one binding count together, and those with another partition do not', async () => {
  const namespace = new TestNamespace();
  const spend = async (partition: string): Promise<boolean> => {
    const store = new DurableObjectStore({ namespace, partition });
    const { allowed } = await createLimiter({ name: 'api', limit: 1, window: '1h', store }).consume('ann');
    await store.close();
    return allowed;
  };
  expect([await spend('a'), await spend('a'), await spend('b')]).toEqual([true, false, true]);
});
