import { expect, it } from '@jest/globals';
import { type Runner, storeSuite, VECTORS } from '@sluice/conformance';
import { type Part, withPartOfVectors } from '../src/part-of-vectors.js';
import { EVERYTHING } from '../src/store-claims.js';

/** The tests that a runner registers for a part of the vectors. */
function registered(part: Part): string[] {
  const titles: string[] = [];
  let group = '';
  const runner: Runner = {
    describe(title, body) {
      group = title;
      body();
    },
    it: (title) => titles.push(`${group}: ${title}`),
  };
  const make = () => Promise.reject(new Error('not made'));
  storeSuite('a store', make, EVERYTHING, { ...withPartOfVectors(part, runner), peeks: false });
  return titles;
}

it('The parts of the vectors are all of them, each once, and each part has all rules', () => {
  const vectors = VECTORS.flatMap(({ file, cases }) => cases.map(({ name }) => `${file}: ${name}`));
  const [all, ...parts] = [{ index: 0, of: 1 }, ...[0, 1, 2].map((index) => ({ index, of: 3 }))].map(registered);
  const isVector = (title: string): boolean => vectors.includes(title);
  expect(all?.filter(isVector)).toEqual(vectors);
  expect(parts.flatMap((titles) => titles.filter(isVector)).toSorted()).toEqual(vectors.toSorted());
  for (const titles of parts) {
    expect(titles.filter((title) => !isVector(title))).toEqual(all?.filter((title) => !isVector(title)));
  }
});
