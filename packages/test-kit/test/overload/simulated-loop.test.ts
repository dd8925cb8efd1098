import { expect, it } from '@jest/globals';
import { Agenda } from '@sluice/test-kit/overload/agenda';
import { Processor } from '@sluice/test-kit/overload/processor';
import { SimulatedLoop } from '@sluice/test-kit/overload/simulated-loop';
import { seededRandom } from '@sluice/test-kit/seeded-random';

it('takes what happens in the order of time, however it was added', () => {
  const agenda = new Agenda();
  const random = seededRandom(1);
  const times = Array.from({ length: 1000 }, () => Math.floor(100 * random()));
  const seen: [atMs: number, order: number][] = [];
  for (const [order, atMs] of times.entries()) agenda.at(atMs, () => seen.push([atMs, order]));
  agenda.advance(49);
  expect(seen).toHaveLength(times.filter((atMs) => atMs <= 49).length);
  agenda.advance(100);
  expect(seen).toEqual(
    times
      .map((atMs, order) => [atMs, order])
      .sort(([a, i], [b, j]) => (a as number) - (b as number) || (i as number) - (j as number)),
  );
  expect(agenda.nextMs).toBe(Number.POSITIVE_INFINITY);
});

/** A loop with tasks of 10 ms, which become ready at some moments. Returns the turn and the start of each task. */
function play(
  readyMs: readonly number[],
  processor = new Processor(),
): { loop: SimulatedLoop; starts: [turn: number, startMs: number][] } {
  const agenda = new Agenda();
  const loop = new SimulatedLoop(agenda, processor);
  const starts: [number, number][] = [];
  const task = (): void => {
    starts.push([loop.turns(), loop.nowMs()]);
    loop.work(10);
  };
  for (const atMs of readyMs) agenda.at(atMs, () => loop.ready(task));
  loop.run(1000);
  return { loop, starts };
}

it('runs everything that is ready in one turn, and what becomes ready meanwhile in the next turn', () => {
  const { starts } = play([5, 6, 7, 100]);
  expect(starts).toEqual([
    [1, 5],
    [2, 15],
    [2, 25],
    [3, 100],
  ]);
});

it('is idle exactly while it waits', () => {
  expect(play([5, 6, 7, 100]).loop.idleMs()).toBe(1000 - 40);
});

it('stands still while the processor is taken away, and is idle until it runs again', () => {
  // Taken: 0 to 50, 100 to 150, 200 to 250 and so on.
  const { starts, loop } = play([20, 95, 96, 220], new Processor({ everyMs: 100, takenMs: 50 }));
  expect(starts).toEqual([
    [1, 50],
    [2, 95],
    [3, 155],
    [4, 250],
  ]);
  expect(loop.idleMs()).toBe(loop.nowMs() - 10 - 60 - 10 - 10);
});

it('splits long work among the slices that it has', () => {
  const processor = new Processor({ everyMs: 100, takenMs: 70 });
  expect(processor.endOf(10, 0)).toBe(80);
  expect(processor.endOf(35, 80)).toBe(185);
  expect(processor.endOf(90, 0)).toBe(300);
});

it('stands still for the rest of a period once it has used its quota, and saves nothing of it for later', () => {
  const quota = new Processor({ everyMs: 100, takenMs: 70, part: 'after work' });
  const { starts } = play([20, 21, 22, 23, 24, 250, 251, 252], quota);
  expect(starts).toEqual([
    [1, 20],
    [2, 30],
    [2, 40],
    // The quota of the first period is used at 50 ms: this task works from 100 to 110 ms.
    [2, 50],
    [2, 110],
    [3, 250],
    [4, 260],
    [4, 270],
  ]);
  expect(new Processor({ everyMs: 100, takenMs: 70, part: 'after work' }).endOf(65, 90)).toBe(225);
});
