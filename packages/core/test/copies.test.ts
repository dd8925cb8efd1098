import { describe, expect, it, jest } from '@jest/globals';
import * as core from '@sluice/core';
import { Deferred, ownedBy } from '@sluice/core/values';
import { asyncStore } from '@sluice/test-kit/async-store';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';

/**
 * A process can have two copies of the core: one imported and one required, or two versions. Returns another copy, beside that of the
 * imports above.
 */
async function otherCore(): Promise<typeof core> {
  jest.resetModules();
  return import('@sluice/core');
}

/** Each test has the two copies in both places. */
const PLACES = [false, true] as const;

async function coresAt(isSwapped: boolean): Promise<readonly [typeof core, typeof core]> {
  const other = await otherCore();
  expect(other.MemoryStore).not.toBe(core.MemoryStore);
  return isSwapped ? [other, core] : [core, other];
}

const HOUR = { limit: 5, window: '1h' } as const;

describe.each(PLACES)('Of two copies of the core, swapped: %s,', (isSwapped) => {
  it('each knows the errors of the other, and only errors', async () => {
    const [one, other] = await coresAt(isSwapped);
    class Narrower extends one.SluiceError {}
    const error = new other.SluiceError('SLUICE_OPTION', 'wrong');
    expect(error).toBeInstanceOf(one.SluiceError);
    expect(error).not.toBeInstanceOf(Narrower);
    expect(new Narrower('SLUICE_OPTION', 'wrong')).toBeInstanceOf(Narrower);
    expect(new Narrower('SLUICE_OPTION', 'wrong')).toBeInstanceOf(other.SluiceError);
    for (const value of [new Error('x'), { ...error }, { name: 'SluiceError', code: 'SLUICE_OPTION' }, null, 'x', 1]) {
      expect(value).not.toBeInstanceOf(one.SluiceError);
    }
  });

  it('a limiter of one throws the mistakes that a store of the other finds', async () => {
    const [one, other] = await coresAt(isSwapped);
    const store = new other.MemoryStore();
    const limiter = one.createLimiter({ ...HOUR, store });
    expect(limiter.consume('ann').tightest.remaining).toBe(4);
    store.close();
    expect(() => limiter.consume('ann')).toThrow('SLUICE_CLOSED');
    expect(() => limiter.reset('ann')).toThrow('SLUICE_CLOSED');
  });

  it('a limiter of one rejects with the mistakes that a slow store of the other finds', async () => {
    const [one, other] = await coresAt(isSwapped);
    const closed = new other.SluiceError('SLUICE_CLOSED', 'the store was closed');
    const store: core.Store<true> = { ...asyncStore(), consume: () => Promise.reject(closed) };
    await expect(one.createLimiter({ ...HOUR, store }).consume('ann')).rejects.toBe(closed);
  });

  it('a limiter of one takes the results of a store that uses the other', async () => {
    const [one] = await coresAt(isSwapped);
    const memory = closedAfterTest(new core.MemoryStore());
    const store: core.Store<true> = {
      ...asyncStore(),
      consume: (request) => {
        const response = new Deferred<core.StoreResponse>();
        setImmediate(() => response.resolve(memory.consume(request)));
        return response;
      },
    };
    const { source, tightest } = await one.createLimiter({ ...HOUR, store }).consume('ann');
    expect([source, tightest.remaining]).toEqual(['store', 4]);
  });

  it('one replaces the policies of limiters of both', async () => {
    const [one, other] = await coresAt(isSwapped);
    const options = { ...HOUR, name: 'api', store: closedAfterTest(new one.MemoryStore()) };
    const form = ownedBy({ ...options }, options);
    const limiters = [one.createLimiter(options), other.createLimiter(options), other.createLimiter(form)];
    other.replacePolicy(options, { limit: 9, window: '1h' });
    expect(limiters.map((limiter) => limiter.peek('ann').tightest.limit.quota)).toEqual([9, 9, 9]);
    expect(() => other.replacePolicy(options, { ...HOUR, limit: -1 })).toThrow('SLUICE_OPTION');
    expect(() => one.replacePolicy(options, { ...HOUR, name: 'other' })).toThrow(
      'must be a name that the owner has: "api"',
    );
    expect(() => one.replacePolicy({}, HOUR)).toThrow('owner must be the options of a limiter');
    expect(limiters.map((limiter) => limiter.peek('ann').tightest.limit.quota)).toEqual([9, 9, 9]);
  });
});
