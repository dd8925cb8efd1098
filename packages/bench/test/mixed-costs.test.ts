import { describe, expect, it } from '@jest/globals';
import { blankAnswer } from '../src/answer.js';
import { MEMORY_CONTENDERS, memoryContender } from '../src/contenders/memory/index.js';
import { costAt, withCosts } from '../src/costs.js';
import { knowsCosts } from '../src/sections/mixed.js';

describe('mixed costs', () => {
  it('are 1 to 7 in turn', () => {
    expect(Array.from({ length: 9 }, (_, n) => costAt(n))).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 2]);
  });

  it.each([...MEMORY_CONTENDERS.keys()])('are spent by %s, or it knows none', async (name) => {
    const decider = await (await memoryContender(name))({ limit: 100, windowMs: 3_600_000 });
    expect(knowsCosts(name)).toBe(decider.decideCost !== undefined);
    if (!decider.decideCost) {
      expect(() => withCosts(decider)).toThrow('It knows no costs');
      return;
    }
    const spending = withCosts(decider);
    const answer = blankAnswer();
    // The costs are 2, 3 and 4.
    for (let asked = 0; asked < 3; asked += 1) await spending.decide('ann', answer);
    expect(answer.remaining).toBe(91);
    await decider.close();
  });
});
