import { expect } from '@jest/globals';
import { createShedder, type EventLoop } from '@sluice/core/load';
import { OK, type SheddingRules } from './shedding-fixture.js';

/** An event loop whose turns are as long as a test says. */
class SimulatedLoop implements EventLoop {
  #nowMs = 0;
  #turns = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  idleMs(): number {
    return 0;
  }

  turns(): number {
    return this.#turns;
  }

  /** Ends a turn that was busy all the time. */
  turn(ms: number): void {
    this.#nowMs += ms;
    this.#turns += 1;
  }
}

export const stateRules: SheddingRules = {
  'says how many requests are in flight, and how many may be': async (fixture) => {
    const seen: (number | undefined)[][] = [];
    await fixture.serve({}, ({ load }) => {
      seen.push([load?.inFlight, load?.limit]);
      return OK;
    });
    await fixture.ask();
    await fixture.hold(2);
    await fixture.ask();
    expect(seen).toEqual([
      [1, 4],
      [3, 4],
    ]);
  },

  'says whether the event loop keeps up, so that a handler can answer with less': async (fixture) => {
    const eventLoop = new SimulatedLoop();
    const shedder = createShedder({ eventLoop, loop: { target: '20ms' }, inFlight: false });
    await fixture.serve({ shedder, priority: 'critical' }, ({ load }) => {
      // Each request takes a turn of 60 ms, so that everything else waits as long.
      eventLoop.turn(60);
      return { status: 200, body: load?.isShedding ? 'less' : 'all' };
    });
    const bodies: string[] = [];
    for (let i = 0; i < 6; i += 1) bodies.push((await fixture.ask()).body);
    expect(bodies[0]).toBe('all');
    expect(bodies.at(-1)).toBe('less');
  },
};
