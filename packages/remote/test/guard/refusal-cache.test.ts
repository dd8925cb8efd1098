import { beforeEach, describe, expect, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import {
  createLimiter,
  fixedWindow,
  type LimitCheck,
  type Limiter,
  leakyBucket,
  type PolicyOptions,
  slidingWindow,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import fc from 'fast-check';
import { protectStore } from '../../src/guard/remote-store.js';
import { RemoteMemory } from './remote-memory.js';

const AMPLE_MS = 10_000;
const ONE = { name: 'one', limit: 1, window: '1h' } as const;

let clock: ManualClock;
let store: RemoteMemory;

beforeEach(() => {
  clock = new ManualClock();
  store = new RemoteMemory(clock, AMPLE_MS);
});

/** A limiter that has just refused ann. */
async function refusing(options: PolicyOptions<[subject: string]>): Promise<Limiter<string, true>> {
  const limiter = createLimiter({ ...options, store }) as Limiter<string, true>;
  while ((await limiter.consume('ann')).allowed);
  return limiter;
}

/** How many requests reach the store during `work`. */
async function asked(work: () => Promise<unknown>): Promise<number> {
  const before = store.asks.length;
  await work();
  return store.asks.length - before;
}

describe('A refused key', () => {
  it('is refused again without a request, for a tenth of a second', async () => {
    const limiter = await refusing(ONE);
    expect(await asked(() => limiter.consume('ann'))).toBe(0);
    clock.advance(99);
    expect(await asked(() => limiter.consume('ann'))).toBe(0);
    clock.advance(1);
    expect(await asked(() => limiter.consume('ann'))).toBe(1);
    expect(await asked(() => limiter.consume('ann'))).toBe(0);
  });

  it('of low priority refuses no critical one: what is kept free from one is there for the other', async () => {
    const limiter = createLimiter({
      limit: 10,
      window: '1h',
      headroom: { low: 0.3 },
      priority: (job: string) => (job === 'critical' ? 'critical' : 'low'),
      keyGenerator: () => 'all',
      store,
    });
    while ((await limiter.consume('low')).allowed);
    expect(await asked(() => limiter.consume('low') as Promise<unknown>)).toBe(0);
    for (let i = 0; i < 3; i += 1) expect((await limiter.consume('critical')).allowed).toBe(true);
    expect((await limiter.consume('low')).tightest).toMatchObject({ allowed: false, used: 10 });
    expect((await limiter.consume('critical')).allowed).toBe(false);
  });

  it('is asked about again where a tolerance may admit it before it is told to come', async () => {
    const limiter = await refusing({ limit: 10, window: '1h', tolerance: 0.1 });
    expect(await asked(() => limiter.consume('ann'))).toBe(1);
  });

  it('learns at once that the store is closed', async () => {
    Object.assign(store, { keyspaces: store.memory.keyspaces });
    const limiter = await refusing(ONE);
    await store.close();
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('gets the reply that the store would give', async () => {
    const limiter = await refusing(ONE);
    for (const ms of [0, 1, 40, 40]) {
      clock.advance(ms);
      const { verdicts } = store.memory.consume({ checks: store.asks[0]?.checks ?? [], peek: true });
      expect(await asked(() => limiter.consume('ann'))).toBe(0);
      expect(await limiter.consume('ann')).toMatchObject({ allowed: false, source: 'store', verdicts });
    }
  });

  it('gets a wait from the arrival of the reply, not from the request', async () => {
    const limiter = createLimiter({ ...ONE, store });
    await limiter.consume('ann');
    store.back = async () => clock.advance(60);
    const refusal = await limiter.consume('ann');
    clock.advance(10);
    expect((await limiter.consume('ann')).retryAfterMs).toBe((refusal.retryAfterMs as number) - 10);
  });

  it('is asked about again as soon as it has room', async () => {
    const limiter = await refusing({ limit: fixedWindow({ limit: 1, window: '30ms' }) });
    clock.advance(29);
    expect(await asked(() => limiter.consume('ann'))).toBe(0);
    clock.advance(1);
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it('counts its time from before the request', async () => {
    const limiter = createLimiter({ ...ONE, store });
    await limiter.consume('ann');
    store.back = async () => clock.advance(60);
    await limiter.consume('ann');
    store.mend();
    clock.advance(39);
    expect(await asked(() => limiter.consume('ann'))).toBe(0);
    clock.advance(1);
    expect(await asked(() => limiter.consume('ann'))).toBe(1);
  });

  it('does not affect other keys, or other limits of the same key', async () => {
    const limiter = await refusing(ONE);
    expect((await limiter.consume('ben')).allowed).toBe(true);
    const other = createLimiter({ name: 'other', limit: 1, window: '1h', store });
    expect((await other.consume('ann')).allowed).toBe(true);
    expect((await limiter.consume('ann')).allowed).toBe(false);
  });

  it('is asked about again for another cost: less may fit, and more has to wait longer', async () => {
    const limiter = createLimiter({ limit: slidingWindow({ limit: 3, window: '1h' }), store });
    await limiter.consume('ann', { cost: 2 });
    expect((await limiter.consume('ann', { cost: 2 })).allowed).toBe(false);
    expect(await asked(() => limiter.consume('ann', { cost: 3 }))).toBe(1);
    expect((await limiter.consume('ann', { cost: 1 })).allowed).toBe(true);
  });

  it('is asked about again if the clock has gone back', async () => {
    const limiter = await refusing(ONE);
    clock.set(clock.now() - 1);
    expect(await asked(() => limiter.consume('ann'))).toBe(1);
  });

  it('can be peeked at, and spends nothing when refused from the cache', async () => {
    const limiter = await refusing(ONE);
    expect(await asked(() => limiter.peek('ann'))).toBe(1);
    for (let i = 0; i < 5; i += 1) await limiter.consume('ann');
    clock.advance('1h');
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it('is refused from the cache for all limits of the request, each with its own wait', async () => {
    const limiter = await refusing({
      limits: [
        { name: 'burst', limit: 1, window: '1m' },
        { name: 'daily', limit: 9, window: '1d' },
      ],
    });
    clock.advance(50);
    expect(await asked(() => limiter.consume('ann'))).toBe(0);
    const { verdicts } = await limiter.consume('ann');
    expect(verdicts.map(({ name, allowed, remaining }) => [name, allowed, remaining])).toEqual([
      ['burst', false, 0],
      ['daily', true, 8],
    ]);
  });
});

describe('Of several keys, a refused request', () => {
  /** The client: its address and its user. */
  type Who = { readonly address: string; readonly user: string };

  const byAddress = (who: Who): string => who.address;
  const byUser = (who: Who): string => who.user;

  it.each(['everyone first', 'the user first'])(
    'is refused again without a request, whichever keys are refused meanwhile: %s',
    async (order) => {
      const everyone = { name: 'all', limit: 1000, window: '1h', keyGenerator: () => 'everyone' } as const;
      const each = { name: 'each', limit: 1, window: '1h' } as const;
      const limits = order === 'everyone first' ? [everyone, each] : [each, everyone];
      const limiter = createLimiter<string, true>({ limits, store });
      const users = ['ann', 'ben', 'cyd'];
      for (const user of users) while ((await limiter.consume(user)).allowed);
      const questions = await asked(async () => {
        for (const user of [...users, ...users]) expect((await limiter.consume(user)).allowed).toBe(false);
      });
      expect(questions).toBe(0);
    },
  );

  it('is remembered beside the refusals of other policies for the same key', async () => {
    const one = await refusing(ONE);
    const other = await refusing({ name: 'other', limit: 2, window: '1h' });
    const questions = await asked(async () => {
      for (const limiter of [one, other, one, other]) expect((await limiter.consume('ann')).allowed).toBe(false);
    });
    expect(questions).toBe(0);
  });

  it('gets a longer wait if the same user has spent more from another address', async () => {
    const limits = [
      { name: 'address', limit: 100, window: '1h', keyGenerator: byAddress },
      { name: 'user', limit: slidingWindow({ limit: 3, window: '1h' }), keyGenerator: byUser },
    ] as const;
    const limiter = createLimiter<Who, true>({ limits, store });
    const home = { address: 'home', user: 'ann' };
    await limiter.consume(home);
    clock.advance('30m');
    await limiter.consume(home);
    const before = await limiter.consume(home, { cost: 2 });
    expect((await limiter.consume({ address: 'work', user: 'ann' })).allowed).toBe(true);
    const after = await limiter.consume(home, { cost: 2 });
    expect([before.allowed, after.allowed]).toEqual([false, false]);
    const { verdicts } = store.memory.consume({ checks: store.asks.at(-1)?.checks ?? [], peek: true });
    expect(after.verdicts).toEqual(verdicts);
  });

  it('gets the remaining units of a shared limit after others have spent', async () => {
    const limits = [
      { name: 'each', limit: 1, window: '1h' },
      { name: 'all', limit: 10, window: '1h', keyGenerator: () => 'everyone' },
    ] as const;
    const limiter = createLimiter<string, true>({ limits, store });
    const remaining: (number | undefined)[] = [];
    for (const user of ['ben', 'cyd', 'dan']) {
      await limiter.consume('ann');
      await limiter.consume(user);
      remaining.push((await limiter.consume('ann')).verdicts[1]?.remaining);
    }
    expect(remaining).toEqual([8, 7, 6]);
  });

  it('is told the delay of a queue that would admit it as it is now, also after others joined the queue', async () => {
    const queue = leakyBucket({ capacity: 10, leakRate: 1 });
    const own = fixedWindow({ limit: 1, window: '1h' });
    const checksOf = (user: string): LimitCheck[] => [
      { policy: 'api', name: 'queue', key: 'everyone', limit: queue, cost: 1 },
      { policy: 'api', name: 'own', key: user, limit: own, cost: 1 },
    ];
    const remembering = protectStore(store);
    for (const user of ['ann', 'ben', 'cid']) await remembering.consume({ checks: checksOf(user) });
    expect((await remembering.consume({ checks: checksOf('ann') })).allowed).toBe(false);
    const delays: [remembered: number | undefined, there: number | undefined][] = [];
    const look = async () => {
      const there = store.memory.consume({ checks: checksOf('ann'), peek: true });
      const { verdicts } = await remembering.consume({ checks: checksOf('ann') });
      delays.push([verdicts[0]?.delayMs, there.verdicts[0]?.delayMs]);
    };
    expect(await asked(look)).toBe(0);
    clock.advance(40);
    expect(await asked(look)).toBe(0);
    await remembering.consume({ checks: checksOf('dan') });
    await look();
    expect(delays.map(([remembered]) => remembered)).toEqual([3000, 2960, 3960]);
    for (const [remembered, there] of delays) expect(remembered).toBe(there);
  });

  it('gets the reply that the store would give, whatever is asked and changed in between', async () => {
    // The windows are so long that no part of them ends while a refusal is remembered.
    const ofAll = slidingWindow({ limit: 6, window: '1h' });
    const ofEach = fixedWindow({ limit: 2, window: '1h' });
    const checkOf = (name: string, user: string, cost: number, margin: number): LimitCheck => {
      const own = { policy: 'api', name, cost, ...(margin !== 0 && { margin }) };
      return name === 'all' ? { ...own, key: 'everyone', limit: ofAll } : { ...own, key: user, limit: ofEach };
    };
    const user = fc.constantFrom('ann', 'ben');
    const names = fc.constantFrom(['all', 'user'], ['user', 'all'], ['user']);
    const step = fc.record({
      verb: fc.constantFrom(...Array<'consume'>(8).fill('consume'), 'adjust', 'reset', 'wait'),
      user,
      names,
      cost: fc.constantFrom(1, 1, 1, 2),
      margin: fc.constantFrom(0, 0, 0, -1, 1, 2),
      waitMs: fc.constantFrom(1, 10),
    });
    const checked = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const network = new RemoteMemory(new ManualClock(), AMPLE_MS);
      const remembering = protectStore(network);
      for (const { verb, user, names, cost, margin, waitMs } of steps) {
        const checks = names.map((name) => checkOf(name, user, cost, margin));
        if (verb === 'wait') (network.clock as ManualClock).advance(waitMs);
        else if (verb === 'reset') await remembering.reset(checks);
        else if (verb === 'adjust') await remembering.adjust({ checks: checks.map((it) => ({ ...it, cost: -1 })) });
        else {
          const before = network.asks.length;
          const there = network.memory.consume({ checks, peek: true });
          const reply = await remembering.consume({ checks });
          expect(reply.allowed).toBe(there.allowed);
          if (network.asks.length === before) expect(reply).toEqual(there);
        }
      }
      await remembering.close();
    });
    await fc.assert(checked, { numRuns: 150 });
  });
});

describe('A change through the store', () => {
  it.each<[string, (limiter: Limiter<string, true>) => Promise<unknown>]>([
    ['a reset', (limiter) => limiter.reset('ann')],
    ['a refund', (limiter) => limiter.refund('ann')],
  ])('is seen at once: %s', async (_, change) => {
    const limiter = await refusing(ONE);
    await change(limiter);
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it.each(['cancel', 'settle'] as const)('is seen at once: %s of a reservation', async (verb) => {
    const limiter = createLimiter({ ...ONE, store });
    const reservation = await limiter.reserve('ann');
    expect((await limiter.consume('ann')).allowed).toBe(false);
    await (verb === 'cancel' ? reservation.cancel() : reservation.settle(0));
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it('is also seen if the refusal was on its way meanwhile', async () => {
    const limiter = createLimiter({ ...ONE, store });
    await limiter.consume('ann');
    let deliver = (): void => {};
    const held = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    store.back = () => held;
    const refusal = limiter.consume('ann');
    store.mend();
    await limiter.reset('ann');
    deliver();
    expect((await refusal).allowed).toBe(false);
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it('is seen if the store made it after a later request', async () => {
    const limiter = createLimiter({ ...ONE, store });
    await limiter.consume('ann');
    let arrive = (): void => {};
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    store.there = () => held;
    const reset = limiter.reset('ann');
    store.mend();
    expect((await limiter.consume('ann')).allowed).toBe(false);
    arrive();
    await reset;
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });

  it('elsewhere is seen within a tenth of a second', async () => {
    const limiter = await refusing(ONE);
    store.memory.reset(store.asks[0]?.checks as LimitCheck[]);
    clock.advance(100);
    expect((await limiter.consume('ann')).allowed).toBe(true);
  });
});

describe('A refusal that changes a state is not cached', () => {
  it('when refusals are counted', async () => {
    const limiter = await refusing({ limit: slidingWindow({ limit: 1, window: '1h', countRejected: true }) });
    expect(await asked(() => limiter.consume('ann'))).toBe(1);
  });

  it('if it may start a block; during a block it is cached', async () => {
    const short = { limit: slidingWindow({ limit: 1, window: '1m', blockDuration: '1m' }), name: 'short' };
    const long = { limit: slidingWindow({ limit: 1, window: '1m', blockDuration: '1h' }), name: 'long' };
    const limiter = await refusing(short);
    expect(await asked(() => limiter.consume('ann'))).toBe(1);
    const blocking = await refusing(long);
    expect(await asked(() => blocking.consume('ann'))).toBe(0);
  });

  it('if a request that can never fit starts one block after another', async () => {
    const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m', blockDuration: 20 }), store });
    await limiter.consume('ann', { cost: 2 });
    clock.advance(30);
    await limiter.consume('ann', { cost: 2 });
    expect((await limiter.consume('ann')).retryAfterMs).toBe(20);
  });

  it('if it costs nothing, which may fit before a unit does', async () => {
    const limiter = await refusing(ONE);
    await limiter.charge('ann');
    expect((await limiter.consume('ann', { cost: 0 })).allowed).toBe(false);
    expect(await asked(() => limiter.consume('ann', { cost: 0 }))).toBe(1);
  });
});

it('At most ten thousand refusals are cached', async () => {
  const limiter = createLimiter({ limit: fixedWindow({ limit: 0, window: '1h' }), store });
  for (let i = 0; i < 10_001; i += 1) await limiter.consume(`${i}`);
  expect(await asked(() => limiter.consume('1'))).toBe(0);
  expect(await asked(() => limiter.consume('0'))).toBe(1);
});

storeSuite(
  'RemoteStore, which remembers refusals',
  (clock) => protectStore(new RemoteMemory(clock, AMPLE_MS)),
  EVERYTHING,
  {
    describe,
    it,
  },
);
