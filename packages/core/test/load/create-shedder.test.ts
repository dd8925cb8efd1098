import { describe, expect, it } from '@jest/globals';
import { createShedder, type EventLoop, type Permit } from '@sluice/core/load';

/** An event loop whose time a test moves. */
class ManualLoop implements EventLoop {
  time = 0;
  idle = 0;
  turn = 0;
  nowMs = (): number => this.time;
  idleMs = (): number => this.idle;
  turns = (): number => this.turn;

  /** Begins the next turn after working for so long. */
  work(ms: number): void {
    this.time += ms;
    this.turn += 1;
  }

  /** Begins the next turn after waiting for events for so long. */
  wait(ms: number): void {
    this.idle += ms;
    this.work(ms);
  }
}

describe('createShedder', () => {
  it('admits what the process keeps up with', () => {
    const eventLoop = new ManualLoop();
    const shedder = createShedder({ eventLoop });
    for (let request = 0; request < 1000; request += 1) {
      eventLoop.wait(1);
      eventLoop.work(1);
      shedder.admit()?.done();
    }
    expect(shedder.state).toMatchObject({ isShedding: false, border: undefined, inFlight: 0 });
    expect(shedder.calm.isCalm).toBe(true);
  });

  it('refuses low requests first once every request has waited longer than the target', () => {
    const eventLoop = new ManualLoop();
    const shedder = createShedder({ eventLoop, loop: { target: 20 } });
    for (let turn = 0; turn < 3; turn += 1) {
      eventLoop.work(50);
      shedder.admit()?.done();
    }
    expect(shedder.state).toMatchObject({ isShedding: true, border: 'low', ageMs: 50 });
    expect(shedder.admit('low')).toBeUndefined();
    expect(shedder.admit('critical')).toBeDefined();
  });

  it('counts a permit that ends twice once', () => {
    const shedder = createShedder({ eventLoop: new ManualLoop() });
    const permits = [shedder.admit(), shedder.exempt()] as Permit[];
    expect(shedder.state.inFlight).toBe(2);
    for (const permit of permits) {
      permit.done();
      permit.drop();
      permit.done();
    }
    expect(shedder.state.inFlight).toBe(0);
  });
});
