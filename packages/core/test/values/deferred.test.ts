import { describe, expect, it } from '@jest/globals';
import { Deferred, passOn, type Receiver } from '../../src/values/deferred.js';

const ERROR = new Error('broken');

function heard(): { readonly got: unknown[]; readonly receiver: Receiver<number> } {
  const got: unknown[] = [];
  return { got, receiver: { resolve: (value) => got.push(value), reject: (error) => got.push(error) } };
}

describe('A deferred result', () => {
  it('goes to its receiver at once, whether the receiver or the result is there first', () => {
    for (const end of [(one: Deferred<number>) => one.resolve(1), (one: Deferred<number>) => one.reject(ERROR)]) {
      const [early, late] = [heard(), heard()];
      const deferred = new Deferred<number>();
      passOn(deferred, early.receiver);
      expect(early.got).toEqual([]);
      end(deferred);
      passOn(deferred, late.receiver);
      expect(early.got).toHaveLength(1);
      expect(late.got).toEqual(early.got);
    }
  });

  it('goes to all who want it, by a receiver or as a promise', async () => {
    const [first, second] = [heard(), heard()];
    const deferred = new Deferred<number>();
    passOn(deferred, first.receiver);
    const awaited = [deferred.then((value) => value + 1), deferred, Promise.resolve(deferred)];
    passOn(deferred, second.receiver);
    deferred.resolve(1);
    expect([first.got, second.got]).toEqual([[1], [1]]);
    expect(await Promise.all(awaited)).toEqual([2, 1, 1]);
    expect(await deferred).toBe(1);
  });

  it('rejects for those who await it, and for nobody else', async () => {
    const [first, second] = [heard(), heard()];
    const deferred = new Deferred<number>();
    passOn(deferred, first.receiver);
    passOn(deferred, second.receiver);
    const awaited = deferred.then(undefined, (error) => (error as Error).message);
    deferred.reject(ERROR);
    expect([first.got, second.got, await awaited]).toEqual([[ERROR], [ERROR], 'broken']);
    await expect(deferred).rejects.toBe(ERROR);
    new Deferred<number>().reject(ERROR);
    await new Promise(setImmediate);
  });

  it('may be undefined, as a value and as an error', async () => {
    const [value, error] = [new Deferred<undefined>(), new Deferred<undefined>()];
    value.resolve(undefined);
    error.reject(undefined);
    expect(await value).toBeUndefined();
    await expect(error).rejects.toBeUndefined();
  });
});

describe('passOn', () => {
  it('passes a value at once, and the result of a promise when it is there', async () => {
    const { got, receiver } = heard();
    passOn(1, receiver);
    expect(got).toEqual([1]);
    passOn(Promise.resolve(2), receiver);
    passOn(Promise.reject(ERROR), receiver);
    // biome-ignore lint/suspicious/noThenProperty: the promises of other libraries are no more than this.
    passOn({ then: (resolve: (value: number) => void) => resolve(3) } as unknown as PromiseLike<number>, receiver);
    await new Promise(setImmediate);
    expect(got).toEqual([1, 2, ERROR, 3]);
  });
});
