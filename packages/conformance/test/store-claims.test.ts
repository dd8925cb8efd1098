import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Runner, type StoreClaims, type StoreSuiteOptions, storeSuite, VECTORS } from '@sluice/conformance';
import { MemoryStore, type Store } from '@sluice/core';
import { EVERYTHING } from '@sluice/test-kit/store-claims';

/** Registers the tests of a suite without running them: those that run and those that are left out, by title. */
function registered(
  claims: StoreClaims,
  make: (clock: Store['clock']) => Store = (clock) => new MemoryStore({ clock }),
  options: StoreSuiteOptions = {},
) {
  const tests = new Map<string, () => Promise<void>>();
  const leftOut: string[] = [];
  const runner: Runner = {
    describe: (_name, body) => body(),
    it: Object.assign((title: string, body: () => Promise<void>) => tests.set(title, body), {
      skip: (title: string) => leftOut.push(title),
    }),
  };
  storeSuite('a store', make, claims, { ...runner, ...options });
  return { tests, leftOut, claims: () => tests.get('has what it claims, and claims what it has')?.() };
}

/** A memory store with other properties. */
const memoryWith = (own: PropertyDescriptorMap) => (clock: Store['clock']) =>
  Object.defineProperties(new MemoryStore({ clock }) as Store, own);

describe('A store that is tested', () => {
  it.each(Object.keys(EVERYTHING))('has to say whether it has %s', (name) => {
    const silent = { ...EVERYTHING, [name]: undefined } as unknown as StoreClaims;
    expect(() => registered(silent)).toThrow(
      `claims.${name} must be true, or text that says why the store has not got it, got undefined`,
    );
    expect(() => registered({ ...EVERYTHING, [name]: '' } as StoreClaims)).toThrow(`claims.${name} must be true`);
  });

  it('cannot claim what no suite knows', () => {
    const claims = { ...EVERYTHING, bloks: true } as StoreClaims;
    expect(() => registered(claims)).toThrow('claims.bloks is not an option: use blocks');
  });

  it('passes if it has everything, and nothing is left out', async () => {
    const { claims, leftOut } = registered(EVERYTHING);
    await expect(claims()).resolves.toBeUndefined();
    expect(leftOut).toEqual([]);
  });

  it.each<[what: string, own: PropertyDescriptorMap]>([
    ['blocks', { blocks: { value: undefined } }],
    ['exact', { supports: { value: { atomicAcrossKeys: true, exact: false } } }],
    ['acrossKeys', { supports: { value: { atomicAcrossKeys: false } } }],
    ['algorithms', { supports: { value: { atomicAcrossKeys: true, algorithms: ['fixed-window'] } } }],
  ])('fails if it claims %s and lacks it', async (what, own) => {
    await expect(registered(EVERYTHING, memoryWith(own)).claims()).rejects.toThrow(what);
  });

  it.each<[what: string, claims: Partial<StoreClaims>]>([
    ['blocks', { blocks: 'no lists' }],
    ['guarantees', { guarantees: 'one key at a time' }],
    ['algorithms', { algorithms: { concurrency: 'no ids' } }],
  ])('fails if it has %s and does not claim it', async (what, claims) => {
    await expect(registered({ ...EVERYTHING, ...claims }).claims()).rejects.toThrow(what);
  });

  it('is told which tests are left out, and why', () => {
    const { leftOut, tests } = registered({ ...EVERYTHING, blocks: 'no lists', algorithms: { concurrency: 'no ids' } });
    expect(leftOut).toContain('lifts a block, and leaves spent units (not blocks: no lists)');
    expect(leftOut).toContain('renews each slot by itself (not concurrency: no ids)');
    expect([...tests.keys()].some((title) => leftOut.includes(title))).toBe(false);
  });

  it('plays each vector with and without peeks, or says that it leaves those with peeks out', () => {
    const vectors = VECTORS.flatMap(({ cases }) => cases);
    const all = registered(EVERYTHING);
    const fewer = registered(EVERYTHING, undefined, { peeks: false });
    const withPeeks = vectors.map(({ name }) => `${name}, with peeks between the steps`);
    expect(fewer.leftOut).toEqual(withPeeks.map((title) => `${title} (peeks: false)`));
    expect([...all.tests.keys()].filter((title) => !fewer.tests.has(title))).toEqual([...new Set(withPeeks)]);
  });

  it('is told of an option that there is not', () => {
    const options = { peek: false } as StoreSuiteOptions;
    expect(() => registered(EVERYTHING, undefined, options)).toThrow('options.peek is not an option: use peeks');
  });
});

it('Each file of vectors is among the vectors, in the order of their names', () => {
  const files = readdirSync(join(__dirname, '../vectors')).filter((file) => file.endsWith('.json'));
  expect(VECTORS.map(({ file }) => file)).toEqual(files.sort());
});
