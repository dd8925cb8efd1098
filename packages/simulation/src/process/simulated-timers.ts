import type { EventOwner } from '../world/event-queue.js';
import { PHASE, type WorldEvent } from '../world/event-queue.js';
import type { World } from '../world/world.js';

/** Node takes a longer delay for 1 ms. */
const LONGEST_MS = 2_147_483_647;

/**
 * Intervals below this do the housekeeping of tables. They come late while nothing else happens anywhere, as they would in processes
 * that are suspended: otherwise a run of hours would do nothing else.
 */
const HOUSEKEEPING_BELOW_MS = 50;
const LATEST_MS = 60_000;

type Callback = (...args: never[]) => void;

/** What `setTimeout` and its like return. */
interface SimulatedTimer {
  ref(): SimulatedTimer;
  unref(): SimulatedTimer;
  hasRef(): boolean;
  refresh(): SimulatedTimer;
}

class Timer implements SimulatedTimer {
  event: WorldEvent | undefined;
  readonly #timers: SimulatedTimers;
  readonly #begin: (timer: Timer) => void;
  #hasRef = true;

  constructor(timers: SimulatedTimers, begin: (timer: Timer) => void) {
    this.#timers = timers;
    this.#begin = begin;
    begin(this);
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  refresh(): this {
    this.#timers.clear(this);
    this.#begin(this);
    return this;
  }
}

/** The timers of one process. */
export class SimulatedTimers {
  readonly #world: World;
  readonly #owner: EventOwner;
  #pending = 0;

  constructor(world: World, owner: EventOwner) {
    this.#world = world;
    this.#owner = owner;
  }

  /** How many timeouts and intervals are going to fire. */
  get pending(): number {
    return this.#pending;
  }

  readonly setTimeout = (callback: Callback, ms = 0, ...args: never[]): SimulatedTimer => {
    const delayMs = delayOf(ms);
    return new Timer(this, (timer) => {
      this.#pending += 1;
      timer.event = this.#world.after(
        delayMs,
        PHASE.timers,
        () => {
          this.#pending -= 1;
          timer.event = undefined;
          callback(...args);
        },
        this.#owner,
      );
    });
  };

  readonly setInterval = (callback: Callback, ms = 0, ...args: never[]): SimulatedTimer => {
    const everyMs = delayOf(ms);
    return new Timer(this, (timer) => {
      this.#pending += 1;
      const tick = (): void => {
        timer.event = undefined;
        callback(...args);
        if (this.#cleared.delete(timer)) this.#pending -= 1;
        else begin();
      };
      const begin = (): void => {
        timer.event =
          everyMs < HOUSEKEEPING_BELOW_MS
            ? this.#world.afterAsHousekeeping(
                Math.max(everyMs, Math.min(this.#world.quietMs, LATEST_MS)),
                tick,
                this.#owner,
              )
            : this.#world.after(everyMs, PHASE.timers, tick, this.#owner);
      };
      begin();
    });
  };

  /** Intervals that were cleared by their own callback. */
  readonly #cleared = new WeakSet<Timer>();

  readonly clear = (timer: unknown): void => {
    if (!(timer instanceof Timer)) return;
    if (timer.event === undefined) {
      // The callback of an interval is running, or a timeout has fired.
      this.#cleared.add(timer);
    } else if (!timer.event.isOver) {
      timer.event.isOver = true;
      this.#pending -= 1;
    }
  };

  readonly setImmediate = (callback: Callback, ...args: never[]): SimulatedTimer => {
    return new Timer(this, (timer) => {
      timer.event = this.#world.after(0, PHASE.immediates, () => callback(...args), this.#owner);
    });
  };

  readonly clearImmediate = (timer: unknown): void => {
    if (timer instanceof Timer && timer.event) timer.event.isOver = true;
  };
}

function delayOf(ms: number): number {
  const delayMs = Math.trunc(Number(ms));
  return delayMs >= 1 && delayMs <= LONGEST_MS ? delayMs : 1;
}
