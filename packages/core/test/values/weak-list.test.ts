import { expect, it } from '@jest/globals';
import { keptBytes, MOST_KEPT_BYTES } from '@sluice/test-kit/kept-bytes';
import { WeakList } from '../../src/values/weak-list.js';

it('has every object that somebody uses, in the order in which they were added', () => {
  const list = new WeakList<object>();
  const used = Array.from({ length: 100 }, (_, id) => ({ id }));
  for (const one of used) list.add(one);
  expect([...list]).toEqual(used);
});

it('leaves out an object that was removed', () => {
  const list = new WeakList<object>();
  const [first, second] = [{ id: 1 }, { id: 2 }];
  const removeFirst = list.add(first);
  list.add(second);
  removeFirst();
  expect([...list]).toEqual([second]);
});

it('keeps the used among many that are used no more', async () => {
  const list = new WeakList<object>();
  const used: object[] = [];
  const least = await keptBytes((round) => {
    const one = { round };
    used.push(one);
    list.add(one);
    return () => {
      for (let i = 0; i < 5; i += 1) list.add({});
    };
  });
  expect(least).toBeLessThanOrEqual(MOST_KEPT_BYTES);
  expect([...list].filter((one) => used.includes(one))).toEqual(used);
});
