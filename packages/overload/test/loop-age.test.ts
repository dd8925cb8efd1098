import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { HandDrivenLoop } from '@sluice/test-kit/hand-driven-loop';
import fc from 'fast-check';
import { LoopAge, systemEventLoop } from '../src/loop-age.js';

function ageAfter(play: (loop: HandDrivenLoop, read: () => void) => void): number {
  const loop = new HandDrivenLoop();
  const age = new LoopAge(loop);
  play(loop, () => age.read());
  age.read();
  return age.ageMs;
}

describe('the age of the event loop', () => {
  it.each<[string, number, (loop: HandDrivenLoop, read: () => void) => void]>([
    ['is 0 for what ends the wait of an idle loop', 0, (loop) => loop.turn(0, 1000)],
    [
      'is the time since the wait ended, for what is read later in the same turn',
      30,
      (loop, read) => {
        loop.turn(0, 1000);
        read();
        loop.work(30);
      },
    ],
    [
      'is the length of the turn before, if the loop did not wait since',
      50,
      (loop, read) => {
        loop.turn(0, 1000);
        read();
        loop.work(50);
        loop.turn(0);
      },
    ],
    [
      'is the turn before and this one, for what is read late in a turn',
      80,
      (loop, read) => {
        loop.turn(0, 1000);
        read();
        loop.work(50);
        loop.turn(0);
        read();
        loop.work(30);
      },
    ],
    [
      'forgets turns before the last one',
      5,
      (loop, read) => {
        for (const ms of [100, 200, 5]) {
          read();
          loop.work(ms);
          loop.turn(0);
        }
      },
    ],
    [
      'is the mean of the turns in which nothing was read',
      25,
      (loop, read) => {
        loop.turn(0, 1000);
        read();
        for (const ms of [10, 20, 30, 40]) {
          loop.work(ms);
          loop.turn(0);
        }
      },
    ],
    [
      'leaves out what the loop waited in turns in which nothing was read',
      10,
      (loop, read) => {
        loop.turn(0, 1000);
        read();
        loop.work(20);
        loop.turn(0);
        loop.turn(0, 500);
      },
    ],
  ])('%s', (_, ageMs, play) => {
    expect(ageAfter(play)).toBe(ageMs);
  });

  it('is always a number of at least 0, and its time never goes back, whatever the loop says', () => {
    const hostile = fc.oneof(
      fc.double({ min: -1e9, max: 1e9 }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    const reading = fc.record({ nowMs: hostile, idleMs: hostile, turns: hostile });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 20 }), (readings) => {
        let [said] = readings;
        const age = new LoopAge({
          nowMs: () => said?.nowMs as number,
          idleMs: () => said?.idleMs as number,
          turns: () => said?.turns as number,
        });
        let lastMs = age.nowMs;
        for (said of readings) {
          age.read();
          expect(age.ageMs).toBeGreaterThanOrEqual(0);
          expect(age.ageMs).toBeLessThan(Number.POSITIVE_INFINITY);
          expect(age.nowMs).toBeGreaterThanOrEqual(lastMs);
          expect(Number.isFinite(age.idleMs)).toBe(true);
          lastMs = age.nowMs;
        }
      }),
    );
  });

  it('is 0 on a runtime that does not count turns', () => {
    let nowMs = 0;
    const age = new LoopAge({ nowMs: () => nowMs, idleMs: () => Number.NaN, turns: () => Number.NaN });
    age.read();
    nowMs = 5000;
    age.read();
    expect(age.ageMs).toBe(0);
  });

  it('shows on the loop of this process how long the turn before was blocked', async () => {
    const age = new LoopAge(systemEventLoop);
    await setImmediate();
    age.read();
    const startMs = systemEventLoop.nowMs();
    const turns = systemEventLoop.turns();
    while (systemEventLoop.nowMs() - startMs < 30);
    await setImmediate();
    age.read();
    expect(systemEventLoop.turns()).toBe(turns + 1);
    expect(age.ageMs).toBeGreaterThanOrEqual(30);
  });
});
