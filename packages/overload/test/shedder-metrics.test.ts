import { afterEach, describe, expect, it } from '@jest/globals';
import { type SluiceEvents, subscribe } from '@sluice/core';
import { createShedder, type Permit, type Shedder, type ShedderMetrics, shedderMetrics } from '@sluice/core/load';
import { HandDrivenLoop } from '@sluice/test-kit/hand-driven-loop';

let last = 0;
/** A name that no other test has: metrics belong to the process. */
const newName = (): string => {
  last += 1;
  return `shedder ${last}`;
};

function metricsOf(name: string): ShedderMetrics | undefined {
  return shedderMetrics().find(({ shedder }) => shedder === name);
}

/** Turns of 50 ms are far too long. */
const TARGET = { target: '10ms' } as const;

const NONE = { critical: 0, normal: 0, low: 0 };

/** Asks in turns of 110 ms until the event loop is so busy that the border is at the class. */
function overload(shedder: Shedder, loop: HandDrivenLoop, border: 'low' | 'normal'): void {
  for (let i = 0; i < 200; i += 1) {
    loop.turn(110);
    shedder.admit(border);
    if (shedder.state.border === border) return;
  }
  throw new Error('the event loop refused nothing');
}

describe('The metrics of a shedder', () => {
  it('begin at 0, and are there before the first request', () => {
    const name = newName();
    const { state } = createShedder({ name, inFlight: { initial: 7 } });
    expect(metricsOf(name)).toEqual({
      shedder: name,
      admitted: NONE,
      refused: { loop: NONE, inFlight: NONE },
      exempt: 0,
      state: { isShedding: false, border: undefined, ageMs: expect.any(Number), limit: 7, inFlight: 0 },
    });
    expect(state.inFlight).toBe(0);
  });

  it('add up to all requests, by class and by reason', () => {
    const name = newName();
    const loop = new HandDrivenLoop();
    const inFlight = { algorithm: 'aimd', initial: 4, max: 4 } as const;
    const shedder = createShedder({ name, eventLoop: loop, headroom: { normal: 0.25, low: 0.5 }, inFlight });
    const permits: (Permit | undefined)[] = [shedder.exempt()];
    for (const priority of [
      'low',
      'low',
      'low',
      'normal',
      'normal',
      'critical',
      'critical',
      'critical',
      'critical',
    ] as const) {
      permits.push(shedder.admit(priority));
    }
    // The exempt request takes the first of four places, and critical ones may have six.
    expect(metricsOf(name)).toMatchObject({
      admitted: { low: 1, normal: 1, critical: 3 },
      refused: { loop: NONE, inFlight: { low: 2, normal: 1, critical: 1 } },
      exempt: 1,
      state: { inFlight: 6, limit: 4 },
    });
    for (const permit of permits) permit?.drop();
    expect(metricsOf(name)?.state?.inFlight).toBe(0);
  });

  it('say what the event loop refused, and where the border is', () => {
    const name = newName();
    const loop = new HandDrivenLoop();
    const shedder = createShedder({ name, eventLoop: loop, loop: TARGET, inFlight: false });
    overload(shedder, loop, 'low');
    const before = metricsOf(name) as ShedderMetrics;
    expect(shedder.admit('low')).toBe(undefined);
    const { refused, admitted, state } = metricsOf(name) as ShedderMetrics;
    expect(admitted).toEqual(before.admitted);
    expect(refused).toEqual({ loop: { ...NONE, low: before.refused.loop.low + 1 }, inFlight: NONE });
    expect(state).toMatchObject({ isShedding: true, border: 'low', ageMs: 110, limit: Number.POSITIVE_INFINITY });
  });

  it('of several shedders with one name are added, with the state of the busiest', () => {
    const name = newName();
    const loop = new HandDrivenLoop();
    const busy = createShedder({ name, eventLoop: loop, loop: TARGET, inFlight: { initial: 500 } });
    const calm = createShedder({ name, inFlight: { initial: 3 } });
    overload(busy, loop, 'low');
    calm.admit('critical');
    const { admitted, state } = metricsOf(name) as ShedderMetrics;
    expect(admitted.critical).toBe(1);
    expect(state).toMatchObject({ isShedding: true, border: 'low', limit: 503, inFlight: 1 + admitted.low });
    expect([busy.name, calm.name]).toEqual([name, name]);
  });

  it('tell 1,000 names apart, and count the others together', () => {
    const prefix = newName();
    const made = Array.from({ length: 1100 }, (_, i) => createShedder({ name: `${prefix} ${i}` }));
    for (const shedder of made) shedder.admit();
    const metrics = shedderMetrics();
    expect(metrics).toHaveLength(1001);
    const own = metrics.filter(({ shedder }) => shedder.startsWith(prefix) || shedder === '(others)');
    expect(own.reduce((sum, { admitted }) => sum + admitted.normal, 0)).toBe(1100);
  });
});

describe('The event sluice:load', () => {
  let stop: (() => void) | undefined;
  afterEach(() => stop?.());

  const observed = (name: string) => {
    const events: SluiceEvents['sluice:load'][] = [];
    stop = subscribe('sluice:load', (event) => {
      if (event.name === name) events.push(event);
    });
    return events;
  };

  it('tells each change of the border once, also if nobody asks any more when it is over', () => {
    const name = newName();
    const events = observed(name);
    const loop = new HandDrivenLoop();
    const shedder = createShedder({ name, eventLoop: loop, loop: TARGET, inFlight: false });
    overload(shedder, loop, 'low');
    expect(events).toMatchObject([{ name, isShedding: true, border: 'low', ageMs: 110 }]);
    overload(shedder, loop, 'normal');
    expect(events.map(({ border }) => border)).toEqual(['low', 'normal']);
    for (let i = 0; i < 5000; i += 1) {
      loop.turn(1);
      shedder.admit('low')?.done();
    }
    const steps = [undefined, 'low', 'normal', 'critical'] as const;
    const moves = events.map(({ border }) => steps.indexOf(border));
    expect(moves.slice(1).filter((step, i) => Math.abs(step - (moves[i] as number)) !== 1)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ isShedding: false, border: undefined });
  });

  it('tells the limit whenever it has moved by 20 %', () => {
    const name = newName();
    const events = observed(name);
    const loop = new HandDrivenLoop();
    const inFlight = { algorithm: 'aimd', initial: 100 } as const;
    const shedder = createShedder({ name, eventLoop: loop, loop: false, inFlight });
    for (let i = 0; i < 5; i += 1) {
      const permit = shedder.admit('critical');
      loop.turn(60_000);
      permit?.done();
    }
    const limits = [100, ...events.map(({ limit }) => limit)];
    expect(limits.length).toBeGreaterThan(2);
    const steps = limits.slice(1).map((limit, i) => Math.abs(limit / (limits[i] as number) - 1));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.2);
  });
});
