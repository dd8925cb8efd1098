import type { NetworkSetup } from '../tape/tape.js';
import type { ChanceSource } from './chance.js';
import { type EventOwner, PHASE } from './event-queue.js';
import type { World } from './world.js';

/** As little later as a message can come that was sent after another one on the same connection. */
const LATER_MS = 1e-6;

/** The way between one process and one server, both directions alike. */
export class Link {
  readonly chance: ChanceSource;
  readonly #world: World;
  readonly #network: NetworkSetup;
  readonly #owner: EventOwner;
  #silentUntilMs = 0;
  #brokenUntilMs = 0;
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
  arrivalMs(afterMs = Number.NEGATIVE_INFINITY): number {
    const { delayMs, slow, slowMs } = this.#network;
    const isSlow = this.chance.happens(slow);
    const ms = this.chance.between(delayMs[0], isSlow ? Math.max(slowMs, delayMs[1]) : delayMs[1]);
    return Math.max(Math.max(this.#world.nowMs, this.#silentUntilMs) + ms, afterMs + LATER_MS);
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
