import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { reconnectDelay } from '../src/index.js';

const drawn = (instances: number): number[] => {
  const delay = reconnectDelay({ instances, random: seededRandom(7) });
  return Array.from({ length: 2000 }, delay);
};

describe('The delay of an attempt to connect', () => {
  it('is always the same for an instance that is alone', () => {
    expect(new Set(Array.from({ length: 100 }, reconnectDelay()))).toEqual(new Set([50]));
  });

  it.each([
    [10, 50, 59],
    [200, 50, 249],
    [2000, 50, 500],
    [1_000_000, 50, 500],
  ])('of %i instances is spread from %i to %i ms', (instances, least, most) => {
    const delays = drawn(instances);
    expect([Math.min(...delays), Math.max(...delays)]).toEqual([least, most]);
    const inFirstHalf = delays.filter((ms) => ms < (least + most) / 2).length;
    expect(Math.abs(inFirstHalf - delays.length / 2)).toBeLessThan(delays.length / 10);
  });

  it('draws by chance unless it is told how', () => {
    const delays = Array.from({ length: 100 }, reconnectDelay({ instances: 1000 }));
    expect(new Set(delays).size).toBeGreaterThan(30);
  });

  it.each([
    [{ instances: 0 }, 'instances must be a whole number of at least 1, got 0'],
    [{ random: 0.5 as never }, 'random must be a function, got 0.5'],
    [{ most: 3 } as never, 'most is not an option'],
  ])('refuses %o', (options, message) => {
    expect(() => reconnectDelay(options)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', message: expect.stringContaining(message) }),
    );
  });
});
