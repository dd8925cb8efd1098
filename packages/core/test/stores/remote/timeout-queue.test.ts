import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Deadlines } from '../../../src/stores/remote/timeout-queue.js';
import { systemClock } from '../../../src/values/clock.js';
import { until } from '../../until.js';

const timersOf = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

afterEach(() => {
  jest.restoreAllMocks();
});

describe('Those who wait for an answer', () => {
  it('are given up when they have waited for so long, each once, in order', async () => {
    const deadlines = new Deadlines(40);
    const startMs = performance.now();
    const given: [string, number][] = [];
    const begin = (name: string) => deadlines.begin(() => given.push([name, performance.now() - startMs]));
    begin('first');
    begin('second');
    await systemClock.sleep(20);
    begin('later');
    await until(() => given.length >= 3, 10);
    expect(given.map(([name]) => name)).toEqual(['first', 'second', 'later']);
    expect(given[0]?.[1]).toBeGreaterThanOrEqual(38);
    expect(given[2]?.[1]).toBeGreaterThanOrEqual(58);
  });

  it('are not given up when they were answered, and not answered when they were given up', async () => {
    const deadlines = new Deadlines(20);
    let givenUp = 0;
    const waits = [1, 2, 3].map(() =>
      deadlines.begin(() => {
        givenUp += 1;
      }),
    );
    expect(deadlines.end(waits[1] as (typeof waits)[number])).toBe(true);
    expect(deadlines.end(waits[1] as (typeof waits)[number])).toBe(false);
    await until(() => givenUp >= 2, 10);
    await systemClock.sleep(20);
    expect(givenUp).toBe(2);
    expect(waits.map((wait) => deadlines.end(wait))).toEqual([false, false, false]);
  });

  it('need one timer, however many they are, which keeps no process alive when nobody waits', async () => {
    const before = timersOf();
    const timeouts = jest.spyOn(globalThis, 'setTimeout');
    const deadlines = new Deadlines(10_000);
    const waits = Array.from({ length: 1000 }, () => deadlines.begin(() => {}));
    expect(timeouts).toHaveBeenCalledTimes(1);
    expect(timersOf()).toBe(before + 1);
    for (const wait of waits) deadlines.end(wait);
    expect(timersOf()).toBe(before);
    const again = deadlines.begin(() => {});
    expect(timersOf()).toBe(before + 1);
    deadlines.end(again);
    expect(timeouts).toHaveBeenCalledTimes(1);
  });

  it('are waited for, but not those who come after', async () => {
    const deadlines = new Deadlines(10_000);
    const [first, second] = [deadlines.begin(() => {}), deadlines.begin(() => {})];
    let isOver = false;
    const ended = deadlines.ended().then(() => {
      isOver = true;
    });
    const third = deadlines.begin(() => {});
    deadlines.end(second);
    await systemClock.sleep(1);
    expect(isOver).toBe(false);
    deadlines.end(first);
    await ended;
    deadlines.end(third);
    await deadlines.ended();
  });
});
