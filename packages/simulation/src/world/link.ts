import type { NetworkSetup } from '../tape/tape.js';
import type { ChanceSource } from './chance.js';
import { type EventOwner, PHASE } from './event-queue.js';
import type { World } from './world.js';

/** As little later as a message can come that was sent after another one on the same connection. */
const LATER_MS = 1e-6;

/** Whom a message is sent to. */
type Side = 'server' | 'process';

interface Lag {
  readonly untilMs: number;
  readonly moreMs: number;
}

const NO_LAG: Lag = { untilMs: 0, moreMs: 0 };

/** The way between one process and one server, both directions alike. */
export class Link {
  readonly chance: ChanceSource;
  readonly #world: World;
  readonly #network: NetworkSetup;
  readonly #owner: EventOwner;
  #silentUntilMs = 0;
  #brokenUntilMs = 0;
  readonly #lags: { server: Lag; process: Lag } = { server: NO_LAG, process: NO_LAG };
  /** Called when all connections of the link break. */
  readonly #breakers = new Set<() => void>();

  constructor(world: World, network: NetworkSetup, owner: EventOwner, name: string) {
    this.#world = world;
    this.#network = network;
    this.#owner = owner;
    this.chance = world.chance.source(`link ${name}`);
  }

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.#world.nowMs;
  }

  /** Whether connections break on it and none can be made. */
  get isBroken(): boolean {
    return this.#brokenUntilMs > this.#world.nowMs;
  }

  /** No message arrives before this is over. Nobody notices. */
  silence(forMs: number): void {
    this.#silentUntilMs = Math.max(this.#silentUntilMs, this.#world.nowMs + forMs);
  }

  /** Messages to one side, or to both, take so much longer before this is over. */
  lag(to: Side | 'both', forMs: number, moreMs: number): void {
    const lag: Lag = { untilMs: this.#world.nowMs + forMs, moreMs };
    if (to !== 'process') this.#lags.server = lag;
    if (to !== 'server') this.#lags.process = lag;
  }

  /** All connections break, and none can be made before this is over. */
  break(forMs: number): void {
    this.#brokenUntilMs = Math.max(this.#brokenUntilMs, this.#world.nowMs + forMs);
    for (const breakOne of [...this.#breakers]) breakOne();
  }

  /** Has a function called when all connections of the link break. Returns a function that ends that. */
  whenBroken(listener: () => void): () => void {
    this.#breakers.add(listener);
    return () => this.#breakers.delete(listener);
  }

  /** Whether the connection breaks on a message. */
  breaksNow(): boolean {
    return this.chance.happens(this.#network.breaks);
  }

  arrivesTwice(): boolean {
    return this.chance.happens(this.#network.twice);
  }

  /** Returns when a message arrives that is sent now, and not before others that were sent on the same connection. */
  arrivalMs(to: Side, afterMs = Number.NEGATIVE_INFINITY): number {
    const { delayMs, slow, slowMs } = this.#network;
    const isSlow = this.chance.happens(slow);
    const { untilMs, moreMs } = this.#lags[to];
    const lagMs = untilMs > this.#world.nowMs ? moreMs : 0;
    const ms = lagMs + this.chance.between(delayMs[0], isSlow ? Math.max(slowMs, delayMs[1]) : delayMs[1]);
    return Math.max(Math.max(this.#world.nowMs, this.#silentUntilMs) + ms, afterMs + LATER_MS);
  }

  /** Returns when a message arrives that travels with another one, just after that. */
  afterMs(otherMs: number): number {
    return Math.max(this.#world.nowMs, otherMs + LATER_MS);
  }

  /** Runs something on the side of the server. */
  toServer(atMs: number, run: () => void): void {
    this.#world.at(atMs, PHASE.network, run);
  }

  /** Runs something in the process, as soon as its event loop gets to it. */
  toProcess(atMs: number, run: () => void): void {
    this.#world.at(atMs, PHASE.network, run, this.#owner);
  }
}
