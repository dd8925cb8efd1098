import { describe, expect, it } from '@jest/globals';
import { type EventOwner, PHASE } from '../../src/world/event-queue.js';
import { World } from '../../src/world/world.js';

const machine = (name: string): EventOwner & { busyUntilMs: number; isAlive: boolean } => ({
  name,
  isAlive: true,
  enter: () => {},
  busyUntilMs: 0,
});

describe('A world', () => {
  it('lets things happen in the order of their times, and by phases in one moment', async () => {
    const world = new World(0);
    const seen: string[] = [];
    const note = (what: string) => () => seen.push(`${world.nowMs} ${what}`);
    world.after(20, PHASE.timers, note('late'));
    world.after(10, PHASE.immediates, note('immediate'));
    world.after(10, PHASE.network, note('message'));
    world.after(10, PHASE.timers, note('timer'));
    await world.run(15);
    expect(seen).toEqual(['10 timer', '10 message', '10 immediate']);
    expect(world.nowMs).toBe(15);
    await world.run(100);
    expect(seen.at(-1)).toBe('20 late');
    expect(world.events).toBe(4);
  });

  it('lets promises and ticks of a process run before the next event', async () => {
    const world = new World(1);
    const seen: string[] = [];
    const one = machine('one');
    world.after(
      1,
      PHASE.timers,
      () => {
        process.nextTick(() => seen.push('tick'));
        void Promise.resolve()
          .then(() => Promise.resolve())
          .then(() => seen.push('promise'));
      },
      one,
    );
    world.after(1, PHASE.network, () => seen.push('next'), one);
    await world.run(2);
    expect(seen).toEqual(['tick', 'promise', 'next']);
  });

  it('keeps what is due for a machine that is busy, and drops what is due for one that has ended', async () => {
    const world = new World(1);
    const busy = machine('busy');
    const ended = machine('ended');
    const seen: string[] = [];
    world.after(1, PHASE.network, () => seen.push(`message at ${world.nowMs}`), busy);
    world.after(5, PHASE.timers, () => seen.push(`timer at ${world.nowMs}`), busy);
    world.after(1, PHASE.timers, () => seen.push('never'), ended);
    busy.busyUntilMs = 50;
    ended.isAlive = false;
    await world.run(100);
    expect(seen).toEqual(['timer at 50', 'message at 50']);
  });

  it('keeps the order of what comes to a machine while it is busy, whatever chance decides', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const world = new World(seed);
      const busy = machine('busy');
      const seen: number[] = [];
      // As two replies on one connection: the second one was arranged first.
      for (const atMs of [7, 3, 5, 1]) world.after(atMs, PHASE.network, () => seen.push(atMs), busy);
      busy.busyUntilMs = 50;
      await world.run(100);
      expect(seen).toEqual([1, 3, 5, 7]);
    }
  });

  it('orders different machines in one moment by chance, and each machine as it was asked', async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const world = new World(seed);
      const seen: string[] = [];
      for (const name of ['a', 'b']) {
        for (let i = 0; i < 3; i += 1) world.after(1, PHASE.network, () => seen.push(`${name}${i}`), machine(name));
      }
      await world.run(1);
      expect(seen.filter((one) => one.startsWith('a'))).toEqual(['a0', 'a1', 'a2']);
      orders.add(seen.join());
    }
    expect(orders.size).toBe(2);
  });

  it('does at the end of a suspension what was due in it', async () => {
    const world = new World(1);
    const seen: number[] = [];
    world.after(10, PHASE.timers, () => seen.push(world.nowMs));
    world.skip(1000);
    await world.run(1001);
    expect(seen).toEqual([1000]);
  });
});
