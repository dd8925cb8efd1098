import { BEGIN_MS, type World } from '../world/world.js';

/** The clock of one machine. It can be wrong, and it can be set. */
export class SimulatedClock {
  readonly #world: World;
  readonly #rate: number;
  #aheadMs: number;

  /** @param driftPpm - by how much it goes faster than the world, in millionths */
  constructor(world: World, aheadMs: number, driftPpm = 0) {
    this.#world = world;
    this.#aheadMs = aheadMs;
    this.#rate = 1 + driftPpm / 1e6;
  }

  /** Milliseconds since 1970, with fractions. */
  nowMs(): number {
    return BEGIN_MS + this.#aheadMs + this.#world.nowMs * this.#rate;
  }

  setForward(ms: number): void {
    this.#aheadMs += ms;
  }
}

/** What a process sees of its clock: `Date`, `performance` and `process.hrtime`. */
export function clockGlobals(world: World, clock: SimulatedClock) {
  const startedMs = world.nowMs;
  const monotonicMs = (): number => world.nowMs - startedMs;
  const RealDate = Date;
  class SimulatedDate extends RealDate {
    constructor(...args: ConstructorParameters<typeof Date> | []) {
      if (args.length === 0) super(Math.floor(clock.nowMs()));
      else super(...args);
    }

    static override now(): number {
      return Math.floor(clock.nowMs());
    }
  }
  const hrtime = Object.assign(
    (since?: readonly [number, number]): [number, number] => {
      const ns = Math.round(monotonicMs() * 1e6);
      const [seconds, rest] = [Math.floor(ns / 1e9), ns % 1e9];
      if (since === undefined) return [seconds, rest];
      const passed = seconds * 1e9 + rest - (since[0] * 1e9 + since[1]);
      return [Math.floor(passed / 1e9), passed % 1e9];
    },
    { bigint: (): bigint => BigInt(Math.round(monotonicMs() * 1e6)) },
  );
  return { date: SimulatedDate, hrtime, performance: { timeOrigin: clock.nowMs(), now: monotonicMs } };
}
