import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '@sluice/core/src/values/clock';
import { until } from '@sluice/test-kit/until';
import { TimeoutQueue } from '../../src/guard/timeout-queue.js';

const timersOf = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

afterEach(() => {
  jest.restoreAllMocks();
});

describe('Calls that wait for a reply', () => {
  it('are given up at their deadline, each once, in order', async () => {
    const queue = new TimeoutQueue(40);
    const startMs = performance.now();
    const given: [string, number][] = [];
    const begin = (name: string) => queue.begin(() => given.push([name, performance.now() - startMs]));
    begin('first');
    begin('second');
    await systemClock.sleep(20);
    begin('later');
    await until(() => given.length >= 3, 10);
    expect(given.map(([name]) => name)).toEqual(['first', 'second', 'later']);
    expect(given[0]?.[1]).toBeGreaterThanOrEqual(38);
    expect(given[2]?.[1]).toBeGreaterThanOrEqual(58);
  });

  it('are not given up after a reply, and get no reply after they were given up', async () => {
    const queue = new TimeoutQueue(20);
    let givenUp = 0;
    const waits = [1, 2, 3].map(() =>
      queue.begin(() => {
        givenUp += 1;
      }),
    );
    expect(queue.end(waits[1] as (typeof waits)[number])).toBe(true);
    expect(queue.end(waits[1] as (typeof waits)[number])).toBe(false);
    await until(() => givenUp >= 2, 10);
    await systemClock.sleep(20);
    expect(givenUp).toBe(2);
    expect(waits.map((wait) => queue.end(wait))).toEqual([false, false, false]);
  });

  it('are told of a stall only if it was theirs', async () => {
    const queue = new TimeoutQueue(40);
    const stalls: unknown[] = [];
    const begin = () => queue.begin((stall) => stalls.push(stall));
    begin();
    const endMs = performance.now() + 200;
    while (performance.now() < endMs);
    await until(() => stalls.length === 1, 1);
    await systemClock.sleep(50);
    begin();
    await until(() => stalls.length === 2, 1);
    expect(stalls).toEqual([expect.any(Number), undefined]);
  });

  it('share one timer, which does not keep the process alive when none waits', async () => {
    const before = timersOf();
    const timeouts = jest.spyOn(globalThis, 'setTimeout');
    const queue = new TimeoutQueue(10_000);
    const waits = Array.from({ length: 1000 }, () => queue.begin(() => {}));
    expect(timeouts).toHaveBeenCalledTimes(1);
    expect(timersOf()).toBe(before + 1);
    for (const wait of waits) queue.end(wait);
    expect(timersOf()).toBe(before);
    const again = queue.begin(() => {});
    expect(timersOf()).toBe(before + 1);
    queue.end(again);
    expect(timeouts).toHaveBeenCalledTimes(1);
  });

  it('are waited for, but not later ones', async () => {
    const queue = new TimeoutQueue(10_000);
    const [first, second] = [queue.begin(() => {}), queue.begin(() => {})];
    let isOver = false;
    const ended = queue.ended().then(() => {
      isOver = true;
    });
    const third = queue.begin(() => {});
    queue.end(second);
    await systemClock.sleep(1);
    expect(isOver).toBe(false);
    queue.end(first);
    await ended;
    queue.end(third);
    await queue.ended();
  });
});
