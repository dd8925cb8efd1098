import { describe, expect, it } from '@jest/globals';
import { Gate } from '../src/gate.js';

const [CRITICAL, NORMAL, LOW] = [0, 1, 2];

/** So long after an interval began, its requests come: those that have waited longer came before it. */
const ASKED_AFTER_MS = 95;

/** A gate with a target of 20 ms, so its intervals take 100 ms, on a loop that is busy unless a test says more. */
class Trial {
  readonly gate: Gate;
  #nowMs = 0;
  #idleMs = 0;

  constructor(targetMs: number | 'by cost' = 20) {
    this.gate = new Gate(3, targetMs === 'by cost' ? undefined : targetMs, 0, 0);
  }

  /** Whether one request passes now. */
  ask(rank: number, ageMs: number): boolean {
    const passes = this.gate.mayPass(rank, this.#nowMs, ageMs, this.#idleMs);
    if (passes) this.gate.admitted();
    return passes;
  }

  /** Plays one interval with a request of each age by each class that is given. Returns the border after it. */
  interval(requests: readonly [rank: number, ageMs: number][], { idleMs = 0, forMs = 100 } = {}): number | undefined {
    const endMs = this.#nowMs + forMs;
    this.#nowMs += Math.min(ASKED_AFTER_MS, 0.95 * forMs);
    for (const [rank, ageMs] of requests) this.ask(rank, ageMs);
    this.#nowMs = endMs;
    this.#idleMs += idleMs;
    this.gate.advance(this.#nowMs, this.#idleMs);
    return this.gate.border;
  }
}

const EVERYBODY = (ageMs: number): [number, number][] => [CRITICAL, NORMAL, LOW].map((rank) => [rank, ageMs]);

/** A gate whose border is at this class: it was overloaded for some intervals. */
function shedding(border = LOW): Trial {
  const trial = new Trial();
  trial.interval(EVERYBODY(101));
  for (let rank = LOW; rank > border; rank -= 1) trial.interval(EVERYBODY(90));
  expect(trial.gate.border).toBe(border);
  return trial;
}

describe('a gate over the age of the event loop', () => {
  it('is calm while one request of each interval was young', () => {
    const trial = new Trial();
    expect(
      trial.interval([
        [NORMAL, 500],
        [NORMAL, 100],
        [NORMAL, 900],
      ]),
    ).toBeUndefined();
    expect(trial.ask(LOW, 5000)).toBe(true);
  });

  it('sheds after an interval in which all requests were older than five targets', () => {
    expect(
      new Trial().interval([
        [NORMAL, 101],
        [LOW, 500],
      ]),
    ).toBe(LOW);
  });

  it('decides by the requests of one interval, not by those of the next', () => {
    const trial = new Trial();
    expect(trial.interval([[NORMAL, 101]], { forMs: 99 })).toBeUndefined();
    expect(trial.interval([[NORMAL, 100]], { forMs: 1 })).toBeUndefined();
    expect(trial.interval([[NORMAL, 101]])).toBe(LOW);
  });

  it.each([
    [10, 50],
    [20, 100],
    [30, 100],
    [200, 400],
  ])('begins with a target of %d ms when all have waited longer than %d ms', (targetMs, mostMs) => {
    const forMs = 500;
    expect(new Trial(targetMs).interval(EVERYBODY(mostMs), { forMs })).toBeUndefined();
    expect(new Trial(targetMs).interval(EVERYBODY(mostMs + 1), { forMs })).toBe(LOW);
  });

  it('is calm without requests', () => {
    expect(new Trial().interval([])).toBeUndefined();
  });

  it.each([
    [LOW, { critical: 320, normal: 80, low: 40 }],
    [NORMAL, { critical: 320, normal: 40, low: -1 }],
    [CRITICAL, { critical: 160, normal: -1, low: -1 }],
  ])('refuses below border %d, and above it the more important a class is, the later', (border, mostMs) => {
    for (const [rank, ageMs] of [
      [CRITICAL, mostMs.critical],
      [NORMAL, mostMs.normal],
      [LOW, mostMs.low],
    ] as const) {
      const trial = shedding(border);
      if (ageMs >= 0) expect(trial.ask(rank, ageMs)).toBe(true);
      expect(trial.ask(rank, ageMs + 1)).toBe(false);
    }
  });

  it('moves the border up when nearly all of its class was refused, up to the most important class', () => {
    const trial = shedding();
    expect(
      trial.interval([
        [LOW, 41],
        [CRITICAL, 0],
      ]),
    ).toBe(NORMAL);
    expect(
      trial.interval([
        [NORMAL, 41],
        [CRITICAL, 0],
      ]),
    ).toBe(CRITICAL);
    expect(trial.interval(EVERYBODY(1000))).toBe(CRITICAL);
  });

  it('leaves the border where it is while some of its class pass and some do not', () => {
    const trial = shedding(NORMAL);
    expect(
      trial.interval([
        [NORMAL, 41],
        [NORMAL, 40],
      ]),
    ).toBe(NORMAL);
  });

  it('does not move the border up for requests that had waited before it was there', () => {
    const trial = shedding();
    expect(trial.interval(EVERYBODY(ASKED_AFTER_MS + 1))).toBe(LOW);
    expect(trial.interval(EVERYBODY(ASKED_AFTER_MS + 1))).toBe(NORMAL);
  });

  it('does not move the border down while any of its class are refused, however long they have waited', () => {
    const trial = shedding(NORMAL);
    const waited = ASKED_AFTER_MS + 1;
    expect(
      trial.interval([
        [NORMAL, waited],
        [NORMAL, 10],
      ]),
    ).toBe(NORMAL);
  });

  it('moves the border up again for requests that had waited before it moved down', () => {
    const trial = shedding(CRITICAL);
    expect(trial.interval([[CRITICAL, 30]])).toBe(NORMAL);
    expect(trial.interval(EVERYBODY(ASKED_AFTER_MS + 1))).toBe(CRITICAL);
  });

  it('moves the border up when all have waited since before it was there, and it refuses none of them', () => {
    const trial = shedding();
    expect(trial.interval([[CRITICAL, ASKED_AFTER_MS + 1]])).toBe(NORMAL);
    expect(trial.interval([[CRITICAL, ASKED_AFTER_MS + 1]])).toBe(CRITICAL);
  });

  it('moves the border as if its class had come if none of it comes, by what the others waited', () => {
    expect(shedding().interval([[CRITICAL, 41]])).toBe(NORMAL);
    expect(shedding(NORMAL).interval([[CRITICAL, 40]])).toBe(LOW);
  });

  it('moves the border down when nothing of its class was refused', () => {
    const trial = shedding(CRITICAL);
    expect(
      trial.interval([
        [CRITICAL, 30],
        [LOW, 30],
      ]),
    ).toBe(NORMAL);
    expect(
      trial.interval([
        [NORMAL, 30],
        [LOW, 30],
      ]),
    ).toBe(LOW);
  });

  it('is calm after ten intervals in which nothing was refused', () => {
    const trial = shedding();
    for (let interval = 1; interval < 10; interval += 1) expect(trial.interval(EVERYBODY(30))).toBe(LOW);
    expect(trial.interval(EVERYBODY(30))).toBeUndefined();
  });

  it('counts the ten intervals anew when something is refused', () => {
    const trial = shedding();
    for (let interval = 1; interval < 10; interval += 1) trial.interval(EVERYBODY(30));
    expect(
      trial.interval([
        [LOW, 41],
        [LOW, 30],
      ]),
    ).toBe(LOW);
    expect(trial.interval(EVERYBODY(30))).toBe(LOW);
  });

  it('sheds nothing while the loop is idle for more than a twentieth of the time', () => {
    const trial = new Trial();
    expect(trial.interval(EVERYBODY(1000), { idleMs: 6 })).toBeUndefined();
    expect(trial.interval(EVERYBODY(1000), { idleMs: 5 })).toBe(LOW);
  });

  it('opens one class each interval in which the loop is idle, and is calm after three', () => {
    const trial = shedding(CRITICAL);
    expect(trial.interval(EVERYBODY(1000), { idleMs: 6 })).toBe(NORMAL);
    expect(trial.interval(EVERYBODY(1000), { idleMs: 6 })).toBe(LOW);
    expect(trial.interval(EVERYBODY(1000), { idleMs: 6 })).toBeUndefined();
  });

  it('is calm at the first request after a long idle time', () => {
    const trial = shedding(CRITICAL);
    expect(trial.interval([], { forMs: 60_000, idleMs: 60_000 })).toBeUndefined();
  });

  it('lets requests wait for the work of four others, and watches for at least two targets', () => {
    const trial = new Trial('by cost');
    expect(trial.gate.targetMs).toBe(20);
    // Each request costs 50 ms.
    trial.interval([
      [NORMAL, 0],
      [NORMAL, 0],
    ]);
    expect(trial.gate.targetMs).toBe(200);
    expect(
      trial.interval([
        [NORMAL, 401],
        [NORMAL, 401],
      ]),
    ).toBeUndefined();
    expect(
      trial.interval(
        [
          [NORMAL, 401],
          [NORMAL, 401],
        ],
        { forMs: 300 },
      ),
    ).toBe(LOW);
  });

  it('does not take an hour for which the process was stopped for the cost of requests', () => {
    const trial = new Trial('by cost');
    const calm: [number, number][] = Array.from({ length: 5 }, () => [NORMAL, 0]);
    for (let interval = 0; interval < 20; interval += 1) trial.interval(calm, { idleMs: 95 });
    trial.interval([[NORMAL, 0]], { forMs: 3_600_000 });
    expect(trial.gate.targetMs).toBeLessThan(25);
  });

  it('does not take the work of refusing for the cost of requests', () => {
    const trial = new Trial('by cost');
    trial.interval(EVERYBODY(30));
    trial.interval(EVERYBODY(30));
    const { targetMs } = trial.gate;
    trial.interval([
      [NORMAL, 0],
      [LOW, 5000],
      [LOW, 5000],
    ]);
    expect(trial.gate.targetMs).toBe(targetMs);
  });
});
