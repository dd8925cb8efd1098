import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import {
  chargeOf,
  concurrency,
  createLimiter,
  fixedWindow,
  type LimitCheck,
  leakyBucket,
  MemoryStore,
  type ReserveSpend,
  slidingWindow,
  subscribe,
  tokenBucket,
} from '@sluice/core';
import { LeasedStore, ShardedStore } from '@sluice/core/distributed';
import { Keyspace } from '@sluice/core/src/stores/keyspace';
import { protectStore } from '@sluice/core/store';
import { ManualClock } from '@sluice/core/testing';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { SEVERAL_SERVERS } from '@sluice/test-kit/store-claims';
import { until } from '@sluice/test-kit/until';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { rendezvous } from '../../src/sharded/rendezvous.js';

storeSuite(
  'ShardedStore over three stores',
  (clock) =>
    new ShardedStore({ nodes: { a: new AsyncStore(clock), b: new AsyncStore(clock), c: new AsyncStore(clock) } }),
  SEVERAL_SERVERS,
  { describe, it },
);

const LIMIT = slidingWindow({ limit: 3, window: '1m' });
const NAMES = ['a', 'b', 'c'] as const;
const check = (key: string, own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'api',
  name: 'limit',
  key,
  limit: LIMIT,
  cost: 1,
  ...own,
});

let nodes: Record<(typeof NAMES)[number], RemoteMemory>;
let store: ShardedStore;

const turn = (): Promise<void> => new Promise(setImmediate);

/** Longer than a slow machine takes to answer. */
const DEADLINE_MS = 300;
const remoteBy = (clock: ManualClock, timeoutMs = DEADLINE_MS) => new RemoteMemory(clock, timeoutMs);

beforeEach(() => {
  const clock = new ManualClock();
  nodes = { a: remoteBy(clock), b: remoteBy(clock), c: remoteBy(clock) };
  store = new ShardedStore({ nodes });
});

afterEach(async () => {
  for (const node of Object.values(nodes)) node.mend();
  await store.close();
});

/** A key that lives on this node. */
function keyOn(name: string, but = ''): string {
  const nameOf = rendezvous(NAMES);
  for (let i = 0; ; i += 1) if (nameOf(`user-${i}`) === name && `user-${i}` !== but) return `user-${i}`;
}

const keysOf = (name: (typeof NAMES)[number]): Set<string | undefined> =>
  new Set(nodes[name].asks.flatMap(({ checks }) => checks.map(({ key }) => key)));

describe('A sharded store', () => {
  it('has blocks only if all of its nodes do', async () => {
    const clock = new ManualClock();
    const without = Object.defineProperty(new AsyncStore(clock), 'blocks', { value: undefined });
    expect(new ShardedStore({ nodes: { a: new AsyncStore(clock), b: without } }).blocks).toBeUndefined();
    expect(new ShardedStore({ nodes: { a: new AsyncStore(clock) } }).blocks).toBeDefined();
  });

  it('asks about each subject on exactly one node', async () => {
    for (let i = 0; i < 60; i += 1) await store.consume({ checks: [check(`user-${i % 30}`)] });
    const [a, b, c] = NAMES.map(keysOf) as [Set<string>, Set<string>, Set<string>];
    expect(a.size + b.size + c.size).toBe(30);
    expect(Math.min(a.size, b.size, c.size)).toBeGreaterThan(0);
  });

  it('decides about all limits of one subject in one step', async () => {
    const key = keyOn('b');
    await store.consume({ checks: [check(key), check(key, { name: 'other' })] });
    expect(nodes.b.asks.map(({ checks }) => checks.length)).toEqual([2]);
  });

  it('gives back the units of one node if another one refuses', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    await store.consume({ checks: [check(bob, { cost: 3 })] });
    const { allowed } = await store.consume({ checks: [check(ann), check(bob)] });
    expect(allowed).toBe(false);
    const { verdicts } = await store.consume({ checks: [check(ann)], peek: true });
    expect(verdicts[0]?.remaining).toBe(3);
  });

  /** A check with parts whose keys are those of `key` and `ofParts`. */
  const divided = (key: string, ofParts: string, quota: number): LimitCheck => {
    const part = (name: string) =>
      ({ policy: 'api', name, key: ofParts, limit: { ...LIMIT, quota }, cost: 1, shadow: true }) as const;
    return check(key, { name: 'divided', parts: { own: part('own'), all: part('all'), lend: 1 } });
  };
  const usedOf = async (asked: LimitCheck): Promise<readonly unknown[]> => {
    const { verdicts } = await store.consume({ checks: [asked], peek: true });
    return verdicts.flatMap(({ used, parts }) => [used, parts?.own.used, parts?.all.used]);
  };

  it('gives back guaranteed parts if they were spent, and another node refuses', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    await store.consume({ checks: [check(bob, { cost: 3 })] });
    await store.consume({ checks: [divided(ann, ann, 1)] });
    expect((await store.consume({ checks: [divided(ann, ann, 2), check(bob)] })).allowed).toBe(false);
    expect((await store.consume({ checks: [divided(ann, ann, 1), check(bob)] })).allowed).toBe(false);
    expect(await usedOf(divided(ann, ann, 2))).toEqual([1, 1, 1]);
  });

  it('refuses a limit whose parts are on another node, also if it is the only one', async () => {
    const asked = { checks: [divided(keyOn('a'), keyOn('b'), 1)] };
    await expect(store.consume(asked)).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
      message: expect.stringContaining('the limit "divided" has a guarantee'),
    });
    await expect(store.adjust(asked)).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    expect(NAMES.map((name) => nodes[name].asks.length)).toEqual([0, 0, 0]);
  });

  it('admits no more of a bucket than its bound, however late another node refuses', async () => {
    const clock = new ManualClock();
    // No answer is late by the deadline, however busy the machine is.
    nodes = { a: remoteBy(clock, 60_000), b: remoteBy(clock, 60_000), c: remoteBy(clock, 60_000) };
    store = new ShardedStore({ nodes });
    const root = check(keyOn('a'), { name: 'root', limit: tokenBucket({ capacity: 100, refillRate: 100 }) });
    const own = check(keyOn('c'), { limit: tokenBucket({ capacity: 1, refillRate: 0 }) });
    let thaw = (): void => {};
    nodes.a.back = async () => {
      thaw = nodes.c.freeze();
      nodes.a.back = async () => {};
    };
    const requests = Array.from({ length: 20 }, () => store.consume({ checks: [root, own] }));
    while (nodes.a.memory.consume({ checks: [root], peek: true }).verdicts[0]?.used !== 20) await turn();
    clock.advance(200); // Twenty units refill while twenty are out.
    expect((await store.consume({ checks: [{ ...root, cost: 100 }] })).allowed).toBe(true);
    thaw();
    const replies = await Promise.all(requests);
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(1);
    expect((await store.consume({ checks: [root], peek: true })).verdicts[0]?.remaining).toBe(0);
  });

  it('charges no bucket for what another node refuses anyway', async () => {
    const root = check(keyOn('a'), { name: 'root', limit: tokenBucket({ capacity: 100, refillRate: 10 }) });
    for (const limit of [LIMIT, tokenBucket({ capacity: 3, refillRate: 0 })]) {
      const own = check(keyOn('c'), { limit, cost: 3 });
      await store.consume({ checks: [own] });
      nodes.a.asks.length = 0;
      expect((await store.consume({ checks: [root, own] })).allowed).toBe(false);
      expect(nodes.a.asks.filter(({ peek }) => !peek)).toEqual([]);
    }
  });

  it('gives back the units of one node if another one fails', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    nodes.c.cut();
    await expect(store.consume({ checks: [check(ann), check(bob)] })).rejects.toThrow('connection lost');
    const { verdicts } = await store.consume({ checks: [check(ann)], peek: true });
    expect(verdicts[0]?.remaining).toBe(3);
  });

  it('refuses if one node refuses, even if another one fails before or after it', async () => {
    const [ann, bob, cid] = [keyOn('a'), keyOn('b'), keyOn('c')];
    await store.consume({ checks: [check(bob, { cost: 3 })] });
    nodes.c.cut();
    for (const checks of [
      [check(ann), check(bob), check(cid)],
      [check(ann), check(cid), check(bob)],
    ]) {
      const { allowed, verdicts } = await store.consume({ checks });
      expect(allowed).toBe(false);
      expect(verdicts.map((verdict) => verdict.allowed)).toEqual(checks.map(({ key }) => key !== bob));
      expect((await store.consume({ checks, peek: true })).allowed).toBe(false);
    }
    const { verdicts } = await store.consume({ checks: [check(ann)], peek: true });
    expect(verdicts[0]?.remaining).toBe(3);
  });

  it('begins a block if one node refuses, even if another one fails before or after it', async () => {
    for (const [first, last] of [
      ['a', 'c'],
      ['c', 'a'],
    ] as const) {
      const bob = check(keyOn('b'), {
        name: first,
        limit: fixedWindow({ limit: 1, window: '1s', blockDuration: '1h' }),
      });
      await store.consume({ checks: [bob] });
      nodes[first].cut();
      const { allowed } = await store.consume({ checks: [check(keyOn('a')), bob, check(keyOn('c'))] });
      expect(allowed).toBe(false);
      nodes[first].mend();
      const { verdicts } = await store.consume({ checks: [bob], peek: true });
      expect(verdicts[0]?.retryAfterMs).toBe(3_600_000);
      expect((await store.consume({ checks: [check(keyOn(last))], peek: true })).verdicts[0]?.remaining).toBe(3);
    }
  });

  it('is not delayed by a node that has only limits that are not enforced, and publishes its failure', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
    nodes.c.cut();
    const checks = [check(bob, { shadow: true }), check(ann)];
    const { allowed, verdicts } = await store.consume({ checks });
    expect([allowed, ...verdicts.map(({ shadow, remaining }) => [shadow, remaining])]).toEqual([
      true,
      [true, 3],
      [undefined, 2],
    ]);
    expect((await store.consume({ checks, peek: true })).verdicts[1]?.remaining).toBe(2);
    await expect(store.adjust({ checks: checks.map((one) => ({ ...one, cost: -1 })) })).resolves.toMatchObject({
      result: 'applied',
    });
    stop();
    expect(errors).toHaveLength(3);
  });

  it('decides on several nodes within the time for one, and gives late units back', async () => {
    const [ann, bob, cid] = [keyOn('a'), keyOn('b'), keyOn('c')];
    const checks = [check(ann), check(bob), check(cid)];
    // It knows the nodes' time by now.
    await store.consume({ checks, peek: true });
    for (const node of Object.values(nodes)) {
      node.back = () => new Promise((resolve) => setTimeout(resolve, (DEADLINE_MS * 3) / 5));
    }
    await expect(store.consume({ checks })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS * 2));
    for (const node of Object.values(nodes)) node.mend();
    const { verdicts } = await store.consume({ checks, peek: true });
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([3, 3, 3]);
  });

  it('gives back every time for one id, if no reply is held', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    await store.consume({ checks: [check(bob, { cost: 3 })] });
    for (let i = 0; i < 4; i += 1) await store.consume({ checks: [check(ann), check(bob)], id: 'same', holdMs: 0 });
    for (let i = 0; i < 4; i += 1) await store.consume({ checks: [check(ann), check(bob)], id: 'held', holdMs: 1000 });
    const { verdicts } = await store.consume({ checks: [check(ann)], peek: true });
    expect(verdicts[0]?.remaining).toBe(3);
  });

  it.each(['cancel', 'settle'] as const)('loses no unit by %s, whose nodes’ clocks differ', async (verb) => {
    const clocks = [0, 100, -10_000].map((aheadMs) => {
      const clock = new ManualClock();
      clock.advance(20_000 + aheadMs);
      return clock;
    });
    const [a, b, c] = clocks.map((clock) => new RemoteMemory(clock, 10_000)) as [
      RemoteMemory,
      RemoteMemory,
      RemoteMemory,
    ];
    const own = new ShardedStore({ nodes: { a, b, c } });
    const items = NAMES.map((name) => ({ name, limit: LIMIT, keyGenerator: () => keyOn(name) }));
    const limiter = createLimiter({ name: 'apart', limits: items, store: own });
    for (let i = 0; i < 10; i += 1) {
      const reservation = await limiter.reserve('anybody');
      expect(reservation.source).toBe('store');
      for (const clock of clocks) clock.advance(50);
      await (verb === 'cancel' ? reservation.cancel() : reservation.settle(0));
      const { verdicts } = await limiter.peek('anybody');
      expect(verdicts.map(({ remaining }) => remaining)).toEqual([3, 3, 3]);
    }
    await own.close();
  });

  it.each([
    ['cancel', [0, 0]],
    ['settle', [0, 1]],
  ] as const)('frees a slot by %s, with a calendar limit that had to be asked twice', async (verb, used) => {
    const [theirs, mine] = [new ManualClock(), new ManualClock()];
    mine.advance('3d');
    const own = new ShardedStore({ nodes: { a: new AsyncStore(mine, theirs), b: new AsyncStore(mine, theirs) } });
    const nodeOf = rendezvous(['a', 'b']);
    const key = (node: string) => `${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find((i) => nodeOf(`${i}`) === node)}`;
    const day = fixedWindow({ limit: 9, window: { unit: 'day', timeZone: 'UTC' } });
    const limits = [
      { name: 'slots', limit: concurrency({ limit: 1, lease: '1h' }), keyGenerator: () => key('a') },
      { name: 'daily', limit: day, keyGenerator: () => key('b') },
    ];
    const limiter = createLimiter({ name: 'twice', limits, store: own });
    const reservation = await limiter.reserve('anybody');
    expect(reservation.allowed).toBe(true);
    await reservation[verb]();
    const { verdicts } = await limiter.peek('anybody');
    expect(verdicts.map((verdict) => verdict.used)).toEqual(used);
  });

  it('also charges a shadow leaky bucket by settle, with another limit on its node', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('b')];
    const limits = [
      { name: 'queue', limit: leakyBucket({ capacity: 9, leakRate: 1 }), keyGenerator: () => ann, enforce: 0 },
      { name: 'own', limit: LIMIT, keyGenerator: () => ann },
      { name: 'other', limit: LIMIT, keyGenerator: () => bob },
    ];
    const limiter = createLimiter({ name: 'settled', limits, store });
    const reservation = await limiter.reserve('anybody');
    await reservation.settle(3);
    const { verdicts } = await limiter.peek('anybody');
    expect(verdicts.map(({ used }) => used)).toEqual([3, 3, 3]);
  });

  it('gives nothing back on a shadow limit that a hanging node has not charged', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    const shadow = { name: 'shadow', limit: LIMIT, keyGenerator: () => bob, enforce: 0 };
    const enforced = { name: 'enforced', limit: LIMIT, keyGenerator: () => ann };
    const limiter = createLimiter({ name: 'api', limits: [shadow, enforced], store });
    await limiter.consume('other request');
    nodes.c.cut();
    const reservation = await limiter.reserve('anybody');
    nodes.c.mend();
    expect(reservation.source).toBe('store');
    await reservation.cancel();
    const { verdicts } = await limiter.peek('anybody');
    expect(verdicts.map(({ name, remaining }) => [name, remaining])).toEqual([
      ['shadow', 2],
      ['enforced', 2],
    ]);
  });

  it('gives back with an id, because a network may deliver it twice', async () => {
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    const ids: (string | undefined)[] = [];
    const { adjust } = nodes.a;
    nodes.a.adjust = (change) => {
      ids.push(change.id);
      return adjust.call(nodes.a, change);
    };
    await store.consume({ checks: [check(bob, { cost: 3 })] });
    for (let i = 0; i < 2; i += 1) await store.consume({ checks: [check(ann), check(bob)] });
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('remembers for a minute what a refused request gave back, however long the limit counts', async () => {
    const clock = new ManualClock();
    nodes = { a: remoteBy(clock), b: remoteBy(clock), c: remoteBy(clock) };
    store = new ShardedStore({ nodes });
    const day = slidingWindow({ limit: 3, window: '1d' });
    const [ann, bob] = [check(keyOn('a'), { limit: day }), check(keyOn('c'), { limit: day })];
    const ids: (string | undefined)[] = [];
    const { adjust } = nodes.a;
    nodes.a.adjust = (change) => {
      ids.push(change.id);
      return adjust.call(nodes.a, change);
    };
    await store.consume({ checks: [{ ...bob, cost: 3 }] });
    const { atMs } = await store.consume({ checks: [{ ...ann, cost: 2 }] });
    await store.consume({ checks: [ann, bob] });
    const [id] = ids as [string];
    const again = () => nodes.a.memory.adjust({ checks: [{ ...ann, cost: -1 }], atMs, id }).result;
    clock.advance(60_000);
    expect(again()).toBe('repeated');
    clock.advance(1);
    expect(again()).toBe('applied');
  });

  it('uses onStoreError for the keys of a failing node, and for no others', async () => {
    const limiter = createLimiter<string, true>({ limit: LIMIT, store, onStoreError: 'allow' });
    nodes.c.cut();
    const sources = async (name: string) => (await limiter.consume(keyOn(name))).source;
    for (let i = 0; i < 10; i += 1) expect(await sources('c')).toBe('allow');
    expect([await sources('a'), await sources('b')]).toEqual(['store', 'store']);
  });

  it('has a breaker for each node', async () => {
    const states: string[] = [];
    const stop = subscribe('sluice:breaker', ({ state }) => states.push(state));
    nodes.c.cut();
    for (let i = 0; i < 20; i += 1) {
      await store.consume({ checks: [check(keyOn('c'))] }).catch(() => {});
      await store.consume({ checks: [check(keyOn('a'))] });
    }
    stop();
    expect(states).toEqual(['open']);
    expect(nodes.c.calls).toBeLessThan(10);
  });

  it('names the node in events of its breaker, and asks no other node about a request that needs it', async () => {
    const events: unknown[] = [];
    const stop = subscribe('sluice:breaker', (event) => events.push(event));
    const [ann, bob] = [keyOn('a'), keyOn('c')];
    nodes.c.cut();
    for (let i = 0; i < 5; i += 1) await store.consume({ checks: [check(bob)] }).catch(() => {});
    stop();
    expect(events).toEqual([{ state: 'open', node: 'c' }]);
    for (const look of [{}, { peek: true as const }]) {
      const asked = store.consume({ checks: [check(ann), check(bob)], ...look });
      await expect(asked).rejects.toMatchObject({ code: 'SLUICE_STORE', cause: { message: 'connection lost' } });
    }
    expect(nodes.a.calls).toBe(0);
    const reply = await store.consume({ checks: [check(ann), check(bob, { shadow: true })] });
    expect(reply.allowed).toBe(true);
    expect(reply.verdicts.map(({ remaining }) => remaining)).toEqual([2, 3]);
  });

  it('renews the slots of healthy nodes, even if another node with slots is unreachable', async () => {
    const limit = concurrency({ limit: 3, lease: '9s' });
    const slots = [check(keyOn('a'), { limit }), check(keyOn('c'), { limit })];
    await store.consume({ checks: slots, id: 'request' });
    nodes.c.cut();
    for (let i = 0; i < 5; i += 1) await store.consume({ checks: [check(keyOn('c'))] }).catch(() => {});
    (nodes.a.clock as ManualClock).advance(6000);
    await expect(store.consume({ checks: slots, id: 'request', renew: true })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
    });
    const { verdicts } = await store.consume({ checks: slots.slice(0, 1), peek: true });
    expect(verdicts[0]?.resetAfterMs).toBe(9000);
  });

  it('resets a key on its node', async () => {
    const key = keyOn('b');
    await store.consume({ checks: [check(key, { cost: 3 })] });
    await store.reset([check(key)]);
    await expect(store.consume({ checks: [check(key)] })).resolves.toMatchObject({ allowed: true });
  });

  it('closes every node, and refuses further calls', async () => {
    await store.close();
    for (const node of Object.values(nodes)) {
      await expect(node.consume({ checks: [check('ann')] })).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    }
    await expect(store.consume({ checks: [check('ann')] })).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('supports what all of its nodes support', () => {
    const leased = new LeasedStore({ store: new AsyncStore() });
    expect(store.supports).toEqual({ atomicAcrossKeys: false });
    expect(new ShardedStore({ nodes: { ...nodes, leased } }).supports).toEqual({
      ...leased.supports,
      atomicAcrossKeys: false,
    });
  });

  it('has the longest timeout and the number of all instances', () => {
    const slow = Object.assign(new RemoteMemory(new ManualClock()), {
      remote: { timeoutMs: 2 * DEADLINE_MS, instances: 4, protect: protectStore },
    });
    expect(new ShardedStore({ nodes: { ...nodes, slow } }).remote).toEqual({
      timeoutMs: 2 * DEADLINE_MS,
      instances: 4,
      protect: protectStore,
    });
  });
});

it.each([
  [{}, 'nodes'],
  [{ nodes: {} }, 'nodes'],
  [{ nodes: [] }, 'nodes'],
  [{ nodes: { '': new AsyncStore() } }, 'nodes.'],
  [{ nodes: { a: new MemoryStore() } }, 'nodes.a'],
  [{ nodes: { a: new AsyncStore() }, node: 1 }, 'node'],
])('A sharded store refuses the options %p', (options, path) => {
  expect(() => new ShardedStore(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
});

it('A sharded store refuses one store under two names', () => {
  const same = new AsyncStore();
  expect(() => new ShardedStore({ nodes: { a: same, b: same } })).toThrow('nodes.b is the same store as nodes.a');
});

it('A sharded store refuses two stores that count in one place, also if they are wrapped', () => {
  const server = {};
  const storeOn = (place: object): AsyncStore =>
    Object.assign(new AsyncStore(), {
      keyspaces: [new Keyspace(place, { place: 'this server', suggestion: 'give one of the stores another prefix' })],
    });
  const [one, other] = [storeOn(server), new LeasedStore({ store: storeOn(server) })];
  expect(() => new ShardedStore({ nodes: { a: one, b: storeOn({}), c: other } })).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTION',
      path: 'nodes.c',
      message: expect.stringContaining(
        'counts in the same place as nodes.a, this server: give each node a server of its own, or give one of the stores another prefix',
      ),
    }),
  );
  const sharded = new ShardedStore({ nodes: { a: one, b: storeOn({}) } });
  expect(() => new ShardedStore({ nodes: { c: sharded, d: other } })).toThrow(
    'nodes.d counts in the same place as nodes.c',
  );
});

it('A sharded store accepts a request without checks', async () => {
  const clock = new ManualClock();
  const store = new ShardedStore({ nodes: { a: new AsyncStore(clock), b: new AsyncStore(clock) } });
  await expect(store.consume({ checks: [], peek: true })).resolves.toEqual({
    atMs: clock.now(),
    allowed: true,
    verdicts: [],
  });
});

it.each(['its reservation', 'its charge as data'])(
  'A charge that ended by itself while one of its nodes was away is settled once on each node, by %s',
  async (by) => {
    const [ann, all] = [keyOn('a'), keyOn('b')];
    const limit = fixedWindow({ limit: 100, window: '1h' });
    const limiter = createLimiter({
      name: 'api',
      limits: [
        { limit, name: 'own' },
        { limit, name: 'all', keyGenerator: () => all },
      ],
      store,
    });
    const spend: ReserveSpend = { cost: 30, id: 'job 1', expires: '20s', onExpiry: 'giveBack' };
    const reservation = await limiter.reserve(ann, spend);
    const charge = by === 'its reservation' ? undefined : chargeOf(reservation);
    nodes.b.cut();
    (nodes.a.clock as ManualClock).advance('20s');
    const own = { ...check(ann, { limit }), name: 'own' };
    await until(() => nodes.a.memory.consume({ checks: [own], peek: true }).verdicts[0]?.used === 0);
    await turn();
    nodes.b.mend();
    if (charge) {
      expect(await limiter.correct(charge, { actual: 10 })).toBe('applied');
      expect(await limiter.correct(charge, { actual: 10 })).toBe('repeated');
    } else await reservation.settle(10);
    expect((await limiter.peek(ann)).verdicts.map(({ used }) => used)).toEqual([10, 10]);
  },
);
