import { expect, it } from '@jest/globals';
import { type StoreRequest, type StoreResponse, slidingWindow } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { CheckSetMap } from '@sluice/core/src/stores/check-set-map';
import { check, SharedStore } from './leased/shared-store.js';

const LIMIT = slidingWindow({ limit: 1000, window: '1m' });
const of = (key: string) => [check(LIMIT, { key })];

/** Answers each request as the first one, so that a test of many keys is quick. */
class QuickStore extends SharedStore {
  calls = 0;
  #first: Promise<StoreResponse> | undefined;

  override consume(request: StoreRequest): Promise<StoreResponse> {
    this.calls += 1;
    this.#first ??= super.consume(request);
    return this.#first;
  }
}

it('A process knows a number of kinds of requests, and nothing of further ones until some are forgotten', () => {
  const kinds = new CheckSetMap<number>(2);
  const made = ['ann', 'bob', 'ann', 'eve'].map((key, i) => kinds.of(of(key), () => i));
  expect(made).toEqual([0, 1, 0, undefined]);
  kinds.delete(of('bob'));
  expect(kinds.of(of('eve'), () => 4)).toBe(4);
  expect(kinds.size).toBe(2);
});

it.each([
  ['A leased store', (store: QuickStore) => new LeasedStore({ store, lease: '1h' })],
  ['A synced store', (store: QuickStore) => new SyncedStore({ store, sync: '1h' })],
])('%s asks the store beneath about each request of keys beyond those that it can know', async (_, over) => {
  const shared = new QuickStore();
  const store = over(shared);
  for (let i = 0; i < 100_000; i += 1) store.consume({ checks: of(`made up ${i}`) });
  for (let i = 0; i < 50; i += 1) expect(await store.consume({ checks: of('ann') })).toMatchObject({ allowed: true });
  expect(shared.calls).toBe(100_050);
  await store.close();
});
