import { describe, expect, it } from '@jest/globals';
import {
  type Ask,
  createLimiter,
  LeasedStore,
  type Reply,
  type Store,
  SyncedStore,
  slidingWindow,
} from '../../src/index.js';
import { directConsumeOf } from '../../src/stores/direct-consume.js';
import { systemClock } from '../../src/values/clock.js';
import { RemoteMemory } from './remote/remote-memory.js';

const OPTIONS = { limit: 5, window: '1h' } as const;
const ASK: Ask = { checks: [] };
const REPLY: Reply = { atMs: 1, allowed: true, verdicts: [] };

/** Asks a store directly, and returns what the receiver gets. */
async function askDirectly(consume: Store['consume']): Promise<readonly unknown[]> {
  const got: unknown[] = [];
  const take = (value: unknown): void => void got.push(value);
  const direct = directConsumeOf({ async: true, consume } as Store);
  expect(direct.known(ASK)).toBeUndefined();
  direct.ask(ASK, { resolve: take, reject: take });
  await new Promise(setImmediate);
  return got;
}

describe('A store without a direct form', () => {
  it('is asked by consume, and the receiver gets the reply or the error once', async () => {
    const error = new Error('broken');
    expect(await askDirectly(async () => REPLY)).toEqual([REPLY]);
    expect(await askDirectly(() => Promise.reject(error))).toEqual([error]);
    expect(
      await askDirectly(() => {
        throw error;
      }),
    ).toEqual([error]);
    expect(await askDirectly(() => REPLY)).toEqual([REPLY]);
  });
});

class OverridingLeased extends LeasedStore {
  readonly asked: Ask[] = [];

  override consume(ask: Ask): Promise<Reply> {
    this.asked.push(ask);
    return super.consume(ask);
  }
}

class OverridingSynced extends SyncedStore {
  readonly asked: Ask[] = [];

  override consume(ask: Ask): Promise<Reply> {
    this.asked.push(ask);
    return super.consume(ask);
  }
}

describe.each([
  ['leased', LeasedStore, OverridingLeased],
  ['synced', SyncedStore, OverridingSynced],
])('A store with a direct form: %s', (_, Front, Overriding) => {
  const newStore = () => new Front({ store: new RemoteMemory(systemClock, 5000) });

  it('decides at once what this process can decide', async () => {
    const store = newStore();
    const limit = slidingWindow({ limit: 1000, window: '1h' });
    const ask = { checks: [{ policy: 'p', name: 'n', key: 'ann', limit, cost: 1 }] };
    for (let i = 0; i < 20; i += 1) await store.consume(ask);
    expect(store.directConsume()?.known(ask)?.verdicts[0]).toMatchObject({ allowed: true });
    await store.close();
    expect(store.directConsume()?.known(ask)).toBeUndefined();
    await expect(store.consume(ask)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('is asked by its consume where that was replaced, or overridden by a class', async () => {
    const asked: Ask[] = [];
    const store = newStore();
    const limiter = createLimiter<string, true>({ ...OPTIONS, store });
    const { consume } = store;
    store.consume = (ask) => {
      asked.push(ask);
      return consume.call(store, ask);
    };
    await limiter.consume('ann');
    expect(asked).toHaveLength(1);

    const overriding = new Overriding({ store: new RemoteMemory(systemClock, 5000) });
    await createLimiter<string, true>({ ...OPTIONS, store: overriding }).consume('ann');
    expect(overriding.asked).toHaveLength(1);
    expect(overriding.directConsume()).toBeUndefined();
    await Promise.all([store.close(), overriding.close()]);
  });
});
