import { describe, expect, it } from '@jest/globals';
import { type Consumed, createLimiter, MemoryStore, type Store, type StoreResponse, subscribe } from '@sluice/core';
import { protectStore } from '@sluice/core/store';
import { Deferred } from '@sluice/core/values';
import { asyncStore } from '@sluice/test-kit/async-store';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';

type Callbacks = readonly [done: (response: unknown) => unknown, failed: (error: unknown) => unknown];

/** Something that can be awaited and is no promise: a query of a database, or an author's own. */
const thenable = (then: (...callbacks: Callbacks) => unknown): Consumed<true> => ({ then }) as Consumed<true>;

const LOST = new Error('lost');

/** What a store gives, by how it gives a response, and who decides then. */
const GIVEN: Readonly<
  Record<string, readonly [give: (response: StoreResponse) => unknown, source: 'store' | 'local']>
> = {
  'the response itself': [(response) => response, 'store'],
  'a promise': [(response) => Promise.resolve(response), 'store'],
  'a deferred result that is there': [(response) => deferred((one) => one.resolve(response)), 'store'],
  'a deferred result that is there twice': [
    (response) =>
      later((one) => {
        one.resolve(response);
        one.resolve(response);
      }),
    'store',
  ],
  'a deferred result that fails after it was there': [
    (response) =>
      later((one) => {
        one.resolve(response);
        one.reject(LOST);
      }),
    'store',
  ],
  'a deferred result that fails': [() => later((one) => one.reject(LOST)), 'local'],
  'something to await': [(response) => thenable((done) => done(response)), 'store'],
  'something that calls back twice': [
    (response) =>
      thenable((done) => {
        done(response);
        done(response);
      }),
    'store',
  ],
  'something that calls back, and fails': [
    (response) =>
      thenable((done, failed) => {
        done(response);
        failed(LOST);
      }),
    'store',
  ],
  'something that comes to a promise': [(response) => thenable((done) => done(Promise.resolve(response))), 'store'],
  'something that comes to a failed promise': [() => thenable((done) => done(Promise.reject(LOST))), 'local'],
  'something that fails': [() => thenable((_, failed) => failed(LOST)), 'local'],
  'something that throws when it is awaited': [
    () =>
      thenable(() => {
        throw LOST;
      }),
    'local',
  ],
  'nothing at all': [() => undefined, 'local'],
  'a promise of nothing': [() => Promise.resolve(), 'local'],
  'a promise of null': [() => Promise.resolve(null), 'local'],
};

function deferred(end: (one: Deferred<StoreResponse>) => void): Deferred<StoreResponse> {
  const one = new Deferred<StoreResponse>();
  end(one);
  return one;
}

function later(end: (one: Deferred<StoreResponse>) => void): Deferred<StoreResponse> {
  return deferred((one) => setImmediate(end, one));
}

const STORES: Readonly<Record<string, Partial<Store<true>>>> = {
  'a store': {},
  'a store over a network': { remote: { timeoutMs: 1000, instances: 1, protect: protectStore } },
};

describe.each(Object.keys(STORES))('The result of %s', (place) => {
  it.each(Object.keys(GIVEN))('decides once: %s', async (way) => {
    const [give, source] = GIVEN[way] as (typeof GIVEN)[string];
    const memory = closedAfterTest(new MemoryStore());
    const store: Store<true> = {
      ...asyncStore(),
      ...STORES[place],
      consume: (request) => give(memory.consume(request)) as Consumed<true>,
    };
    const limiter = createLimiter({ limit: 3, window: '1m', store });
    const sources: string[] = [];
    const stop = subscribe('sluice:decision', ({ decision }) => sources.push(decision.source));
    const decision = await limiter.consume('ann');
    await new Promise(setImmediate);
    stop();
    expect([decision.source, decision.tightest.remaining, sources]).toEqual([source, 2, [source]]);
  });
});
