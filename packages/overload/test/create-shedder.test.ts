import { describe, expect, it } from '@jest/globals';
import {
  createShedder,
  type InFlightOptions,
  type Permit,
  type Priority,
  type ShedderOptions,
} from '@sluice/core/load';
import { HandDrivenLoop } from '@sluice/test-kit/hand-driven-loop';
import fc from 'fast-check';

/** Turns of the loop in which it only works, each with a request of the class. */
function busyTurns(loop: HandDrivenLoop, turns: number, turnMs: number, admit: () => Permit | undefined): void {
  for (let turn = 0; turn < turns; turn += 1) {
    loop.work(turnMs);
    loop.turn(0);
    admit()?.done();
  }
}

/** How many requests of a class have a place beside those in flight. */
function placesFor(shedder: ReturnType<typeof createShedder>, priority: Priority): number {
  const permits: Permit[] = [];
  for (;;) {
    const permit = shedder.admit(priority);
    if (!permit) break;
    permits.push(permit);
  }
  for (const permit of permits) permit.drop();
  return permits.length;
}

describe('createShedder', () => {
  it('admits what the process keeps up with', () => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop });
    for (let request = 0; request < 1000; request += 1) {
      eventLoop.turn(0, 1);
      eventLoop.work(1);
      shedder.admit()?.done();
    }
    expect(shedder.state).toMatchObject({ isShedding: false, border: undefined, ageMs: 0, inFlight: 0 });
    expect(shedder.calm.isCalm).toBe(true);
  });

  it('refuses low requests first once every request has waited far longer than the target', () => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop, loop: { target: 20 } });
    busyTurns(eventLoop, 2, 110, () => shedder.admit());
    expect(shedder.state).toMatchObject({ isShedding: true, border: 'low', ageMs: 110 });
    expect(shedder.calm.isCalm).toBe(false);
    expect(shedder.admit('low')).toBeUndefined();
    expect(shedder.admit('critical')).toBeDefined();
  });

  it('refuses nothing because of the event loop with loop: false', () => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop, loop: false });
    busyTurns(eventLoop, 20, 500, () => shedder.admit('low'));
    expect(shedder.state).toMatchObject({ isShedding: false, border: undefined, ageMs: 500 });
    expect(shedder.admit('low')).toBeDefined();
  });

  it('is calm again without a request once the loop has been idle', () => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop, loop: { target: 20 } });
    busyTurns(eventLoop, 5, 110, () => shedder.admit());
    expect(shedder.calm.isCalm).toBe(false);
    eventLoop.turn(0, 1000);
    expect(shedder.calm.isCalm).toBe(true);
    expect(shedder.state.border).toBeUndefined();
  });

  it.each<[number, Required<NonNullable<ShedderOptions['headroom']>> | undefined, Record<Priority, number>]>([
    [20, undefined, { critical: 30, normal: 18, low: 15 }],
    [8, undefined, { critical: 12, normal: 7, low: 6 }],
    [70, { normal: 0.1, low: 0.1 }, { critical: 105, normal: 63, low: 63 }],
    [10, { normal: 0, low: 1 }, { critical: 15, normal: 10, low: 1 }],
    [1, undefined, { critical: 1, normal: 1, low: 1 }],
  ])('has places for each class: of a limit of %d, with headroom %j, %j', (initial, headroom, places) => {
    const eventLoop = new HandDrivenLoop();
    for (const priority of ['critical', 'normal', 'low'] as const) {
      const shedder = createShedder({
        eventLoop,
        inFlight: { algorithm: 'vegas', initial },
        ...(headroom && { headroom }),
      });
      expect([priority, placesFor(shedder, priority)]).toEqual([priority, places[priority]]);
    }
  });

  it('is not calm for a second after a request found no place', () => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop, inFlight: { initial: 1 } });
    const permit = shedder.admit();
    expect(shedder.calm.isCalm).toBe(true);
    expect(shedder.admit()).toBeUndefined();
    permit?.done();
    eventLoop.turn(0, 999);
    expect(shedder.calm.isCalm).toBe(false);
    eventLoop.turn(0, 1);
    expect(shedder.calm.isCalm).toBe(true);
  });

  it('limits nothing in flight with inFlight: false', () => {
    const shedder = createShedder({ eventLoop: new HandDrivenLoop(), inFlight: false });
    for (let request = 0; request < 5000; request += 1) expect(shedder.admit('low')).toBeDefined();
    expect(shedder.state).toMatchObject({ limit: Number.POSITIVE_INFINITY, inFlight: 5000 });
  });

  it('never refuses an exempt request, and counts it in flight', () => {
    const shedder = createShedder({ eventLoop: new HandDrivenLoop(), inFlight: { initial: 2 } });
    const permits = Array.from({ length: 10 }, () => shedder.exempt());
    expect(shedder.state.inFlight).toBe(10);
    expect(shedder.admit('critical')).toBeUndefined();
    for (const permit of permits) permit.done();
    expect(shedder.admit('low')).toBeDefined();
  });

  it('counts a permit that ends several times once', () => {
    const shedder = createShedder({ eventLoop: new HandDrivenLoop() });
    const permits = [shedder.admit(), shedder.exempt()] as Permit[];
    expect(shedder.state.inFlight).toBe(2);
    for (const permit of permits) {
      permit.done();
      permit.drop();
      permit.done();
      permit.pause();
      permit.resume();
    }
    expect(shedder.state.inFlight).toBe(0);
  });

  it('gives the place of a paused request to others, and counts it in flight', () => {
    const shedder = createShedder({ eventLoop: new HandDrivenLoop(), inFlight: { initial: 1 } });
    const first = shedder.admit() as Permit;
    expect(shedder.admit()).toBeUndefined();
    first.pause();
    first.pause();
    const second = shedder.admit() as Permit;
    expect(shedder.state.inFlight).toBe(2);
    // It may always go on.
    first.resume();
    first.resume();
    second.done();
    expect(shedder.admit()).toBeUndefined();
    first.done();
    expect(shedder.state.inFlight).toBe(0);
    expect(shedder.admit()).toBeDefined();
  });

  it('takes no sample of a stream, of an exempt request and of a wait', () => {
    const limits = ['done', 'drop', 'pause', 'wait', 'exempt', 'resumed exempt'].map((end) => {
      const eventLoop = new HandDrivenLoop();
      const shedder = createShedder({ eventLoop, loop: false, inFlight: { algorithm: 'gradient2', max: 1000 } });
      for (let request = 0; request < 100; request += 1) {
        const beside = Array.from({ length: 15 }, () => shedder.admit() as Permit);
        const permit = end.endsWith('exempt') ? shedder.exempt() : (shedder.admit() as Permit);
        if (end === 'pause' || end === 'wait') permit.pause();
        if (end === 'resumed exempt') {
          permit.pause();
          permit.resume();
        }
        eventLoop.turn(0, 500);
        if (end === 'wait') permit.resume();
        if (end === 'drop') permit.drop();
        else permit.done();
        for (const other of beside) other.drop();
      }
      return [end, shedder.state.limit];
    });
    expect(limits.slice(1)).toEqual([
      ['drop', 20],
      ['pause', 20],
      ['wait', 20],
      ['exempt', 20],
      ['resumed exempt', 20],
    ]);
    expect(limits[0]?.[1]).toBeGreaterThan(20);
  });

  it('shows its state as one live object, also as JSON', () => {
    const shedder = createShedder({ eventLoop: new HandDrivenLoop() });
    const { state } = shedder;
    shedder.admit();
    expect(shedder.state).toBe(state);
    expect(state.inFlight).toBe(1);
    expect(JSON.parse(JSON.stringify(state))).toEqual({ isShedding: false, ageMs: 0, limit: 20, inFlight: 1 });
  });

  it('never has less than nothing in flight, or more than classes may have, whatever happens', () => {
    const action = fc.record({
      kind: fc.constantFrom('admit', 'exempt', 'done', 'drop', 'pause', 'resume', 'wait', 'work'),
      priority: fc.constantFrom<Priority>('critical', 'normal', 'low'),
      which: fc.nat(50),
      ms: fc.constantFrom(0, 1, 30, 5000, -100, Number.NaN, Number.POSITIVE_INFINITY),
    });
    const algorithms = fc.constantFrom('knee', 'vegas', 'gradient2', 'aimd');
    fc.assert(
      fc.property(algorithms, fc.array(action, { maxLength: 200 }), (algorithm, actions) => {
        const eventLoop = new HandDrivenLoop();
        const shedder = createShedder({ eventLoop, inFlight: { algorithm: algorithm as 'knee', initial: 5, max: 9 } });
        const permits: Permit[] = [];
        const open = new Set<Permit>();
        let exempt = 0;
        for (const { kind, priority, which, ms } of actions) {
          const permit = permits[which % Math.max(1, permits.length)];
          if (kind === 'wait') eventLoop.turn(0, ms);
          else if (kind === 'work') eventLoop.work(ms);
          else if (kind === 'admit' || kind === 'exempt') {
            const before = shedder.state.inFlight;
            const admitted = kind === 'admit' ? shedder.admit(priority) : shedder.exempt();
            if (kind === 'exempt') exempt += 1;
            if (!admitted) continue;
            permits.push(admitted);
            open.add(admitted);
            expect(shedder.state.inFlight).toBe(before + 1);
          } else if (permit) {
            permit[kind as 'done']();
            if (kind === 'done' || kind === 'drop') open.delete(permit);
          }
          expect(shedder.state.inFlight).toBe(open.size);
          expect(shedder.state.limit).toBeGreaterThanOrEqual(1);
          expect(shedder.state.limit).toBeLessThanOrEqual(9);
          if (!actions.some((each) => each.kind === 'pause')) expect(open.size).toBeLessThanOrEqual(13 + exempt);
        }
      }),
    );
  });

  it('lowers the limit by aimd for a request that takes longer than the timeout', () => {
    const eventLoop = new HandDrivenLoop();
    const shedder = createShedder({ eventLoop, inFlight: { algorithm: 'aimd', initial: 100, timeout: '100ms' } });
    const permits = [shedder.admit(), shedder.admit()];
    eventLoop.turn(0, 99);
    permits[0]?.done();
    expect(shedder.state.limit).toBe(100);
    eventLoop.turn(0, 99);
    permits[1]?.done();
    expect(shedder.state.limit).toBeLessThan(100);
  });

  it.each<[NonNullable<InFlightOptions['algorithm']>, Priority, free: number]>([
    ['aimd', 'normal', 0.1],
    ['aimd', 'low', 0.25],
    ['vegas', 'normal', 0.1],
    ['vegas', 'low', 0.25],
    ['gradient2', 'normal', 0.1],
    ['gradient2', 'low', 0.25],
    ['knee', 'normal', 0.8],
    ['knee', 'low', 0.8],
  ])('raises the limit by %s from one while it refuses, though %s requests leave %d of it free', (...given) => {
    const [algorithm, priority, free] = given;
    const eventLoop = new HandDrivenLoop();
    const inFlight = { algorithm, initial: 1, max: 50 };
    const shedder = createShedder({ eventLoop, loop: false, inFlight, headroom: { [priority]: free } });
    for (let round = 0; round < 1000; round += 1) {
      const permits: Permit[] = [];
      for (let permit = shedder.admit(priority); permit; permit = shedder.admit(priority)) permits.push(permit);
      eventLoop.turn(0, 100);
      for (const permit of permits) permit.done();
    }
    // By knee, it then depends on what more requests in flight do.
    expect(shedder.state.limit).toBeGreaterThanOrEqual(algorithm === 'knee' ? 10 : 50);
  });

  it('begins at the largest limit if that is less than the usual beginning', () => {
    expect(createShedder({ inFlight: { max: 10 } }).state.limit).toBeLessThanOrEqual(10);
  });

  it.each<[string, unknown, string]>([
    ['options', 5, 'options must be an object'],
    ['inflight', { inflight: {} }, 'inflight is not an option'],
    ['name', { name: '' }, 'name must be 1 to 128 printable ASCII characters, got ""'],
    ['loop', { loop: true }, 'loop must be an object, got true'],
    ['loop.target', { loop: { target: 0 } }, 'loop.target must be a duration of at least 1 ms'],
    ['loop.target', { loop: { target: '11s' } }, 'loop.target must be at most 10 s, got "11s"'],
    ['inFlight.algorithm', { inFlight: { algorithm: 'bbr' } }, 'inFlight.algorithm must be one of "knee"'],
    ['inFlight.initial', { inFlight: { initial: 0 } }, 'inFlight.initial must be a whole number from 1 to 1000000'],
    ['inFlight.max', { inFlight: { max: 0 } }, 'inFlight.max must be a whole number from 1 to 1000000, got 0'],
    ['inFlight.max', { inFlight: { initial: 20, max: 19 } }, 'inFlight.max must be a whole number from 20 to 1000000'],
    ['inFlight.timeout', { inFlight: { timeout: '1s' } }, "inFlight.timeout is only for the algorithm 'aimd'"],
    ['inFlight.timeout', { inFlight: { algorithm: 'aimd', timeout: 0 } }, 'inFlight.timeout must be a duration'],
    ['headroom.normal', { headroom: { normal: 1.1 } }, 'headroom.normal must be a number from 0 to 1, got 1.1'],
    ['headroom.low', { headroom: { normal: 0.3, low: 0.2 } }, 'headroom.low must be at least headroom.normal, got 0.2'],
    ['headroom', { inFlight: false, headroom: {} }, 'headroom cannot be set with inFlight: false'],
    ['tenants.weight', { tenants: { weight: 3 } }, 'tenants.weight must be a function, got 3'],
    ['tenants.max', { tenants: { max: 0 } }, 'tenants.max must be a whole number from 1 to 100000, got 0'],
    ['tenants.weights', { tenants: { weights: {} } }, 'tenants.weights is not an option'],
    ['inFlight', { loop: false, inFlight: false }, 'inFlight cannot be false with loop: false'],
    ['eventLoop', { eventLoop: 5 }, 'eventLoop must be an object with nowMs(), idleMs() and turns(), got 5'],
    ['eventLoop.turns', { eventLoop: { nowMs: () => 0, idleMs: () => 0 } }, 'eventLoop.turns must be a function'],
  ])('refuses the wrong option %s', (path, options, message) => {
    expect(() => createShedder(options as ShedderOptions)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path, message: expect.stringContaining(message) }),
    );
  });

  it('counts at most 100 bulkheads apart, and the requests of all of them in flight', () => {
    const shedder = createShedder({ loop: false, inFlight: { initial: 2, max: 2 }, headroom: { normal: 0 } });
    for (let i = 0; i < 100; i += 1) shedder.admit('normal', { bulkhead: `service ${i}` });
    expect(shedder.state).toMatchObject({ inFlight: 100, limit: 200 });
    // All further ones share one limit of two.
    const further = Array.from({ length: 50 }, (_, i) => shedder.admit('normal', { bulkhead: `made up ${i}` }));
    expect(further.filter(Boolean)).toHaveLength(2);
    expect(shedder.state).toMatchObject({ inFlight: 102, limit: 202 });
    for (const permit of further) permit?.done();
    expect(shedder.state.inFlight).toBe(100);
  });

  it('lets a bulkhead that is full refuse nothing of another one', () => {
    const shedder = createShedder({ loop: false, inFlight: { initial: 1, max: 1 } });
    expect(shedder.admit('normal', { bulkhead: 'slow' })).toBeDefined();
    expect(shedder.admit('normal', { bulkhead: 'slow' })).toBeUndefined();
    expect(shedder.admit('normal', { bulkhead: 'quick' })).toBeDefined();
    expect(shedder.admit('normal')).toBeDefined();
  });

  it('has the limit of requests without a bulkhead in the sum, if there are any', () => {
    const shedder = createShedder({ loop: false, inFlight: { initial: 2, max: 2 } });
    expect(shedder.state.limit).toBe(2);
    shedder.exempt();
    shedder.admit('normal', { bulkhead: 'search' });
    expect(shedder.state).toMatchObject({ inFlight: 2, limit: 2 });
    for (let i = 0; i < 5; i += 1) shedder.admit('critical');
    expect(shedder.state).toMatchObject({ inFlight: 4, limit: 4 });
  });

  it('leaves nearly all places to a tenant beside which others come seldom, and those find one', () => {
    const eventLoop = new HandDrivenLoop();
    const inFlight = { algorithm: 'aimd', initial: 10, max: 10 } as const;
    const shedder = createShedder({ eventLoop, loop: false, inFlight, headroom: { normal: 0 } });
    const busy: { readonly permit: Permit; readonly endsMs: number }[] = [];
    let [sum, seldomRefused] = [0, 0];
    for (let step = 0; step < 2000; step += 1) {
      eventLoop.turn(0, 10);
      const nowMs = 10 * step;
      while (busy.length > 0 && (busy[0]?.endsMs as number) <= nowMs) busy.shift()?.permit.done();
      if (step % 200 === 0) {
        const seldom = shedder.admit('normal', { tenant: 'seldom' });
        if (!seldom) seldomRefused += 1;
        seldom?.done();
      }
      for (;;) {
        const permit = shedder.admit('normal', { tenant: 'busy' });
        if (!permit) break;
        busy.push({ permit, endsMs: nowMs + 100 });
      }
      if (step >= 1000) sum += busy.length;
    }
    expect(seldomRefused).toBe(0);
    expect(sum / 1000).toBeGreaterThan(8);
  });

  it('refuses a priority that it does not know, and counts nothing', () => {
    const shedder = createShedder({ eventLoop: new HandDrivenLoop() });
    expect(() => shedder.admit('urgent' as Priority)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'priority', received: 'urgent' }),
    );
    expect(shedder.state.inFlight).toBe(0);
  });

  it('says what to do on a runtime that does not tell how long its event loop was idle', () => {
    const timing = Object.getOwnPropertyDescriptor(performance, 'nodeTiming');
    Object.defineProperty(performance, 'nodeTiming', { value: undefined, configurable: true });
    try {
      expect(() => createShedder()).toThrow(
        expect.objectContaining({
          code: 'SLUICE_UNSUPPORTED',
          path: 'loop',
          message: expect.stringContaining('loop: false'),
        }),
      );
      expect(createShedder({ loop: false }).admit()).toBeDefined();
    } finally {
      if (timing) Object.defineProperty(performance, 'nodeTiming', timing);
      else Reflect.deleteProperty(performance, 'nodeTiming');
    }
  });

  it('admits on the event loop of this process', () => {
    const shedder = createShedder();
    shedder.admit('low')?.done();
    expect(shedder.state.inFlight).toBe(0);
    expect(shedder.state.ageMs).toBeGreaterThanOrEqual(0);
  });
});
