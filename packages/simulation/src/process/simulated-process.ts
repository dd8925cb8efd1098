import type { EventOwner } from '../world/event-queue.js';
import type { World } from '../world/world.js';
import type { Bundle, LoadedCode } from './bundle.js';
import type { Exports } from './exports.js';
import { nodeModules } from './node-modules.js';
import { clockGlobals, SimulatedClock } from './simulated-clock.js';
import { SimulatedTimers } from './simulated-timers.js';

/**
 * One process of an application: our real code, with a state, timers, a clock and randomness of its own. It can stand still, and it
 * can end without a word.
 */
export class SimulatedProcess implements EventOwner {
  readonly name: string;
  readonly warnings: string[] = [];
  readonly #world: World;
  readonly #timers: SimulatedTimers;
  readonly #code: LoadedCode;
  #isAlive = true;
  #busyUntilMs = 0;
  #stalledMs = Number.NEGATIVE_INFINITY;

  /** @param name - no other process of the run has it, also no earlier one in the same place */
  constructor(world: World, name: string, bundle: Bundle, clockAheadMs: number) {
    this.name = name;
    this.#world = world;
    this.#timers = new SimulatedTimers(world, this);
    const chance = world.chance.source(`process ${name}`);
    const { date, hrtime, performance } = clockGlobals(world, new SimulatedClock(world, clockAheadMs));
    const process = this.#nodeProcess(hrtime);
    const require = nodeModules(process, performance, chance);
    Object.assign(process, { getBuiltinModule: require });
    const { webcrypto: crypto } = require('node:crypto') as { readonly webcrypto: object };
    this.#code = bundle.begin({
      require,
      // Defined as own properties: an assignment would call the setters of Node's globalThis.
      globalThis: Object.create(globalThis, { process: { value: process }, crypto: { value: crypto } }),
      process,
      crypto,
      setTimeout: this.#timers.setTimeout,
      clearTimeout: this.#timers.clear,
      setInterval: this.#timers.setInterval,
      clearInterval: this.#timers.clear,
      setImmediate: this.#timers.setImmediate,
      clearImmediate: this.#timers.clearImmediate,
      performance,
      Date: date,
      Math: Object.assign(Object.create(Math), { random: () => chance.next() }),
      WeakRef: StrongRef,
      FinalizationRegistry: NoRegistry,
    });
  }

  get exports(): Exports {
    return this.#code.exports;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get busyUntilMs(): number {
    return this.#busyUntilMs;
  }

  get pendingTimers(): number {
    return this.#timers.pending;
  }

  /** Has to be called before anything of its code is, unless an event of it is happening. */
  enter(): void {
    this.#code.enter();
  }

  /** Nothing of it runs any more. */
  crash(): void {
    this.#isAlive = false;
  }

  /** Its event loop stands still from now on. */
  stall(forMs: number): void {
    this.#busyUntilMs = Math.max(this.#busyUntilMs, this.#world.nowMs + forMs);
    this.#stalledMs = this.#busyUntilMs;
  }

  /** Whether it stood still at any time since a moment. */
  wasStalledSince(ms: number): boolean {
    return this.#stalledMs >= ms;
  }

  #nodeProcess(hrtime: object): object {
    const { version, versions, platform, arch, pid } = process;
    return {
      version,
      versions,
      platform,
      arch,
      pid,
      env: {},
      hrtime,
      nextTick: process.nextTick,
      emitWarning: (warning: string | Error, options?: { code?: string }) => {
        const text = typeof warning === 'string' ? warning : warning.message;
        this.warnings.push(options?.code === undefined ? text : `${options.code}: ${text}`);
      },
      on: () => {},
      once: () => {},
      off: () => {},
    };
  }
}

/** When garbage is collected is not part of the world: nothing that somebody may still look at is ever collected. */
class StrongRef<T extends object> {
  readonly #target: T;

  constructor(target: T) {
    this.#target = target;
  }

  deref(): T {
    return this.#target;
  }
}

class NoRegistry {
  register(): void {}

  unregister(): void {}
}
