import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  type Duration,
  fixedWindow,
  type Limiter,
  type PolicyOptions,
  type Store,
  subscribe,
} from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { RemoteCluster } from '../../../remote/test/guard/remote-cluster.js';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { systemClock } from '../../src/values/clock.js';

/** How long the store says that it may take. */
const TIMEOUT_MS = 40;

/** How long it takes. */
const SLOW_MS = 120;

/** Longer than any machine takes. */
const PATIENT_MS = 30_000;
const PATIENT = { timeout: PATIENT_MS, onStoreError: 'deny' } as const;

const TEN = { limit: 10, window: '1h' } as const;

beforeEach(() => {
  jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
});
afterEach(() => {
  jest.restoreAllMocks();
});

interface Slow {
  readonly store: Store<true>;
  /** The servers behind it. */
  readonly servers: readonly RemoteMemory[];
}

const remote = (timeoutMs: number): RemoteMemory => new RemoteMemory(systemClock, timeoutMs);

const STORES: readonly (readonly [name: string, make: (timeoutMs: number) => Slow])[] = [
  [
    'a remote store',
    (timeoutMs) => {
      const store = remote(timeoutMs);
      return { store, servers: [store] };
    },
  ],
  [
    'a cluster',
    (timeoutMs) => {
      const store = new RemoteCluster(systemClock, { a: systemClock, b: systemClock }, timeoutMs);
      return { store, servers: Object.values(store.nodes) };
    },
  ],
  [
    'a sharded store',
    (timeoutMs) => {
      const nodes = { a: remote(timeoutMs), b: remote(timeoutMs) };
      return { store: new ShardedStore({ nodes }), servers: Object.values(nodes) };
    },
  ],
  [
    'a leased store',
    (timeoutMs) => {
      const store = remote(timeoutMs);
      return { store: new LeasedStore({ store }), servers: [store] };
    },
  ],
  [
    'a synced store, about what it does not decide itself',
    (timeoutMs) => {
      const store = remote(timeoutMs);
      return { store: new SyncedStore({ store }), servers: [store] };
    },
  ],
];

/** A policy of two keys, so that several servers may have to decide. Its costs differ, so that no slice can. */
function limiterOf(store: Store<true>, name: string, options: Partial<PolicyOptions<[string], true>>) {
  const limits = [
    { name: 'one', ...TEN, keyGenerator: (user: string) => `a:${user}` },
    { name: 'other', ...TEN, keyGenerator: (user: string) => `b:${user}`, cost: 2 },
  ];
  return createLimiter<string, true>({ name, limits, store, ...options } as PolicyOptions<[string], true>);
}

/** Their keys are on different servers, where there are several. */
const USERS = ['ann', 'bob', 'cem'];

/** Has a policy that waits as long as the store says give up so often that it asks no more. */
async function askInVain(store: Store<true>, servers: readonly RemoteMemory[]): Promise<void> {
  for (const server of servers) server.back = () => systemClock.sleep(SLOW_MS);
  const other = limiterOf(store, 'other', {});
  await Promise.all(Array.from({ length: 10 }, (_, i) => other.consume(USERS[i % USERS.length] as string)));
}

describe.each(STORES)('A policy with a timeout over %s', (_name, make) => {
  it('waits longer than the store says, for decisions and corrections, and another policy does not', async () => {
    const { store, servers } = make(TIMEOUT_MS);
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ policy, error }) => errors.push([policy, error]));
    const patient = limiterOf(store, 'patient', PATIENT);
    const other = limiterOf(store, 'other', {});
    for (const server of servers) server.back = () => systemClock.sleep(SLOW_MS);
    const reservation = await patient.reserve('ann');
    expect(reservation).toMatchObject({ allowed: true, source: 'store' });
    await reservation.settle({ other: 5 });
    expect((await patient.peek('ann')).verdicts.map(({ used }) => used)).toEqual([1, 5]);
    expect(errors).toEqual([]);
    expect((await other.consume('ann')).source).toBe('local');
    // The other one has given up so often that it asks no more. That says nothing of this one.
    await Promise.all(Array.from({ length: 10 }, () => other.consume('ann')));
    expect((await patient.consume('ann')).source).toBe('store');
    stop();
    for (const server of servers) server.mend();
    await store.close();
  });

  it('gives back with it what a refused request took', async () => {
    const { store, servers } = make(TIMEOUT_MS);
    const limits = [
      { name: 'one', ...TEN, keyGenerator: (user: string) => `a:${user}` },
      { name: 'full', limit: 1, window: '1h', keyGenerator: (user: string) => `b:${user}`, cost: 2 },
    ] as const;
    const patient = createLimiter<string, true>({ name: 'patient', limits, store, ...PATIENT });
    await askInVain(store, servers);
    for (const user of USERS) {
      expect(await patient.consume(user)).toMatchObject({ allowed: false, source: 'store' });
      expect((await patient.peek(user)).verdicts.map(({ used }) => used)).toEqual([0, 0]);
    }
    for (const server of servers) server.mend();
    await store.close();
  });

  it('has counted what it spent when it is closed', async () => {
    const { store, servers } = make(TIMEOUT_MS);
    const policy = { name: 'patient', limit: fixedWindow({ limit: 1000, window: '1h' }) };
    const patient = createLimiter<string, true>({ ...policy, store, ...PATIENT });
    await askInVain(store, servers);
    for (let i = 0; i < 5; i += 1) expect((await patient.consume('ann')).source).toBe('store');
    for (const server of servers) server.close = async () => {};
    await store.close();
    const counted = servers.map(({ memory }) => createLimiter<string>({ ...policy, store: memory }).peek('ann'));
    expect(counted.reduce((sum, { verdicts: [one] }) => sum + (one?.used ?? 0), 0)).toBe(5);
    for (const { memory } of servers) memory.close();
  });

  it('gives up at its own time, if that is earlier', async () => {
    const slow = make(PATIENT_MS);
    const hurried = limiterOf(slow.store, 'hurried', { timeout: 5, onStoreError: 'deny' });
    const thaws = slow.servers.map((server) => server.freeze());
    const startMs = performance.now();
    expect(await hurried.consume('ann')).toMatchObject({ allowed: false, source: 'deny' });
    expect(performance.now() - startMs).toBeLessThan(PATIENT_MS);
    for (const thaw of thaws) thaw();
    await slow.store.close();
  });
});

it('Slots of a policy with a timeout are renewed with it', async () => {
  const clock = new ManualClock();
  const store = new RemoteMemory(clock);
  const limiter = createLimiter<string, true>({ limit: concurrency({ limit: 1, lease: '30s' }), store, ...PATIENT });
  const reservation = await limiter.reserve('ann');
  clock.advance('10s');
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.asks.filter(({ renew }) => renew)).toMatchObject([{ timeoutMs: 30_000 }]);
  await reservation.release();
  await store.close();
});

describe('A policy with a limit of money', () => {
  const money = { limit: fixedWindow({ limit: 1000, window: '1h' }), quotaUnit: 'micro-dollars' } as const;
  const sourceOf = async (limiter: Limiter<string, true>): Promise<string> => (await limiter.consume('ann')).source;

  it('waits longer, and fails closed', async () => {
    const store = remote(TIMEOUT_MS);
    const limiter = createLimiter<string, true>({ name: 'money', ...money, store });
    const requests = createLimiter<string, true>({ name: 'requests', ...TEN, store });
    store.back = () => systemClock.sleep(SLOW_MS);
    expect([await sourceOf(limiter), await sourceOf(requests)]).toEqual(['store', 'local']);
    store.cut();
    expect([await sourceOf(limiter), await sourceOf(requests)]).toEqual(['deny', 'local']);
    await store.close();
  });

  it('is one if only one of its limits counts money', async () => {
    const store = remote(TIMEOUT_MS);
    store.cut();
    const limits = [
      { name: 'minute', ...TEN },
      { name: 'day', ...money },
    ];
    expect(await sourceOf(createLimiter<string, true>({ limits, store }))).toBe('deny');
    await store.close();
  });

  it.each(['local', 'allow', 'deny'] as const)('does what it says: onStoreError %s', async (onStoreError) => {
    const store = remote(TIMEOUT_MS);
    store.cut();
    expect(await sourceOf(createLimiter<string, true>({ ...money, store, onStoreError }))).toBe(onStoreError);
    await store.close();
  });
});

it.each<[timeout: unknown, message: string]>([
  [0, 'timeout must be a duration of at least 1 ms'],
  ['soon', 'timeout must be a duration'],
  ['61s', "timeout must be at most '1m'"],
  ['30d', "timeout must be at most '1m'"],
])('The timeout %p is refused', (timeout, message) => {
  expect(() => createLimiter({ ...TEN, timeout: timeout as Duration })).toThrow(message);
});
