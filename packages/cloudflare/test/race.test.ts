import { expect, it } from '@jest/globals';
import type { Limit, Store } from '@sluice/core';
import { RACE_LIMITS } from '@sluice/test-kit/race/limits';
import { DurableObjectStore } from '../src/index.js';
import { TestNamespace } from './objects.js';

// In workerd, `npm run proof -- edge` has many Workers' requests race.

it.each(Object.entries<Limit>(RACE_LIMITS))(
  'Exactly 100 of 800 requests of four Workers are admitted under %s',
  async (name, limit) => {
    const namespace = new TestNamespace();
    const stores: Store<true>[] = Array.from({ length: 4 }, () => new DurableObjectStore({ namespace }));
    const ask = async (i: number): Promise<boolean> => {
      const checks = [{ policy: 'race', name, key: 'ann', limit, cost: 1 }];
      const id = limit.algorithm === 'concurrency' ? { id: `request ${i}` } : {};
      return (await (stores[i % 4] as Store<true>).consume({ checks, ...id })).allowed;
    };
    const allowed = await Promise.all(Array.from({ length: 800 }, (_, i) => ask(i)));
    expect(allowed.filter(Boolean)).toHaveLength(100);
  },
);
