import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoreClaims } from '@sluice/conformance';
import {
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limiter,
  type OperationSpend,
  type Store,
  type StoreRequest,
  type StoreResponse,
  slidingWindow,
  subscribe,
} from '@sluice/core';
import { itCounting } from './store-claims.js';

/** A client of an API: who asks, and from where. */
interface Caller {
  readonly user: string;
  readonly address: string;
}

const ann: Caller = { user: 'ann', address: '203.0.113.7' };
const bob: Caller = { user: 'bob', address: '203.0.113.7' };

/** What two instances of a program share: their options, and the object that owns the policies. */
const OWNER = {};

/**
 * Tests that an operation with an id counts once, over any store.
 *
 * @param make - returns the stores of two instances that count in the same empty place; for one process, the same store twice
 * @param claims - which limits the store counts
 */
export function operationSuite(name: string, make: () => Promise<readonly [Store, Store]>, claims: StoreClaims): void {
  let stores: readonly [Store, Store];
  let limiters: readonly [Limiter<Caller>, Limiter<Caller>];

  const limiterOver = (store: Store, policy = 'api', limit = 5, window = slidingWindow): Limiter<Caller> =>
    createLimiter<Caller>(
      {
        name: policy,
        store,
        onStoreError: 'deny',
        limits: [
          { limit: window({ limit, window: '1h' }), name: 'user', keyGenerator: ({ user }) => user },
          { limit: fixedWindow({ limit: 8, window: '1h' }), name: 'address', keyGenerator: ({ address }) => address },
        ],
      },
      OWNER,
    );
  const left = async (limiter = limiters[0], caller = ann): Promise<number[]> =>
    (await limiter.peek(caller)).verdicts.map(({ remaining }) => remaining);

  describe(`Over ${name}, an operation with an id`, () => {
    beforeEach(async () => {
      stores = await make();
      limiters = [limiterOver(stores[0]), limiterOver(stores[1])];
    });

    afterEach(async () => {
      for (const store of stores) await store.close();
    });

    it('charges once, and gets the first reply, also from another instance', async () => {
      const [here, there] = limiters;
      const first = await here.consume(ann, { id: 'order 1', cost: 2 });
      await here.consume(ann);
      expect(await here.consume(ann, { id: 'order 1', cost: 2 })).toEqual(first);
      expect(await there.consume(ann, { id: 'order 1', cost: 2, rememberFor: '1h' })).toEqual(first);
      expect(await left(there)).toEqual([2, 5]);
    });

    it('stays refused, even when there is room again', async () => {
      const [here, there] = limiters;
      await here.consume(ann, { cost: 5 });
      const refused = await here.consume(ann, { id: 'order 1' });
      expect(refused.allowed).toBe(false);
      await here.reset('ann');
      const again = await there.consume(ann, { id: 'order 1' });
      // Where several servers decide, those that did not refuse show their state of now.
      const refusing = ({ verdicts }: Decision) => verdicts.filter(({ allowed }) => !allowed);
      expect([again.allowed, refusing(again)]).toEqual([false, refusing(refused)]);
      expect((await there.consume(ann, { id: 'order 2' })).allowed).toBe(true);
    });

    it('is another one with another id, key, cost, method or policy', async () => {
      const [here] = limiters;
      const other = limiterOver(stores[0], 'login', 9);
      const id = 'order 1';
      await here.consume(ann, { id });
      for (const [caller, spend] of [
        [ann, { id: 'order 2' }],
        [bob, { id }],
        [ann, { id, cost: 2 }],
      ] as const)
        await here.consume(caller, spend);
      await here.reserve(ann, { id });
      await other.consume(ann, { id });
      expect(await left()).toEqual([0, 2]);
      expect(await left(here, bob)).toEqual([4, 2]);
      expect(await left(other)).toEqual([8, 7]);
    });

    it('is another one when a limit has another algorithm, and the same one when it has another number', async () => {
      const [here] = limiters;
      const first = await here.consume(ann, { id: 'order 1' });
      const larger = await limiterOver(stores[1], 'api', 6).consume(ann, { id: 'order 1' });
      expect([first.allowed, larger.allowed]).toEqual([true, true]);
      expect(await left()).toEqual([4, 7]);
      await limiterOver(stores[1], 'api', 5, fixedWindow).consume(ann, { id: 'order 1' });
      expect(await left()).toEqual([4, 6]);
    });

    it('charges once when it is repeated at the same time in several instances', async () => {
      const calls = Array.from({ length: 20 }, (_, i) => limiters[i % 2 ? 1 : 0].consume(ann, { id: 'order 1' }));
      const decisions = await Promise.all(calls);
      for (const decision of decisions) expect(decision).toEqual(decisions[0]);
      expect(await left()).toEqual([4, 7]);
    });

    it('charges once when a reply was lost', async () => {
      const [here, there] = stores;
      const lossy = losingResponses(here);
      const unlucky = limiterOver(lossy.store);
      const published: unknown[] = [];
      const end = subscribe('sluice:store-error', (event) => published.push(event));
      lossy.isLosing = true;
      expect((await unlucky.consume(ann, { id: 'order 1' })).source).toBe('deny');
      end();
      const again = await limiterOver(there).consume(ann, { id: 'order 1' });
      expect([again.allowed, again.source, published.length]).toEqual([true, 'store', 1]);
      expect(await left()).toEqual([4, 7]);
    });

    it('shows its reply to a peek, and an unknown one is shown what it would get', async () => {
      const [here, there] = limiters;
      const first = await here.consume(ann, { id: 'order 1' });
      expect(await there.peek(ann, { id: 'order 1' })).toEqual(first);
      expect((await there.peek(ann, { id: 'order 2' })).verdicts.map(({ remaining }) => remaining)).toEqual([4, 7]);
      expect((await there.consume(ann, { id: 'order 2' })).verdicts.map(({ remaining }) => remaining)).toEqual([3, 6]);
    });

    it('is given back once, by whoever reserved it', async () => {
      const reserve = async (i: 0 | 1, spend: OperationSpend) => limiters[i].reserve(ann, spend);
      const [first, again] = [await reserve(0, { id: 'job 1', cost: 3 }), await reserve(1, { id: 'job 1', cost: 3 })];
      expect(await left()).toEqual([2, 5]);
      await first.settle(1);
      await again.cancel();
      expect(await left()).toEqual([4, 7]);
    });

    const slots = concurrency({ limit: 2, lease: '30s' });
    itCounting(claims, slots)('holds one slot, which whoever reserved it frees', async () => {
      const options = { name: 'jobs', limit: slots };
      const [here, there] = stores.map((store) => createLimiter({ ...options, store }, OWNER)) as [Limiter, Limiter];
      const held = [await here.reserve('ann', { id: 'job 1' }), await there.reserve('ann', { id: 'job 1' })];
      expect((await there.peek('ann')).tightest.remaining).toBe(1);
      await held[1]?.release();
      expect((await there.peek('ann')).tightest.remaining).toBe(2);
      await held[0]?.release();
      expect((await there.peek('ann')).tightest.remaining).toBe(2);
    });
  });
}

/** A store that decides and then loses its reply, while `isLosing` is true. */
function losingResponses(store: Store): { readonly store: Store; isLosing: boolean } {
  const loss = {
    isLosing: false,
    store: Object.create(store, {
      async: { value: store.async },
      consume: { value: (ask: StoreRequest) => lost(store.consume(ask)) },
      adjust: { value: store.adjust.bind(store) },
      reset: { value: store.reset.bind(store) },
      accept: { value: undefined },
      blocks: { value: undefined },
      remote: { value: store.remote },
      keyspaces: { value: store.keyspaces },
      supports: { value: store.supports },
    }) as Store,
  };
  const fail = (): never => {
    throw new Error('the reply was lost');
  };
  const lost = (reply: StoreResponse | PromiseLike<StoreResponse>): StoreResponse | PromiseLike<StoreResponse> => {
    if (!loss.isLosing) return reply;
    return 'then' in reply ? reply.then(fail) : fail();
  };
  return loss;
}
