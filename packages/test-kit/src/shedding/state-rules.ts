import { expect } from '@jest/globals';
import { createShedder } from '@sluice/core/load';
import { HandDrivenLoop } from '../hand-driven-loop.js';
import { OK, type SheddingRules } from './shedding-fixture.js';

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
      [1, 3],
      [3, 3],
    ]);
  },

  'says whether the event loop keeps up, so that a handler can answer with less': async (fixture) => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop, loop: { target: '10ms' }, inFlight: false });
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
