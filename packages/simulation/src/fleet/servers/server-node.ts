import { PHASE, type WorldEvent } from '../../world/event-queue.js';
import type { World } from '../../world/world.js';

/** What a server keeps, whatever its kind is. */
export interface Database {
  /** Its live keys, sorted. */
  keys(): readonly string[];
  loseKey(key: string): boolean;
  clear(): void;
  fill(policy: 'noeviction' | 'evict'): void;
  drain(): void;
  /** Returns a function that puts what it keeps now into its place again. */
  remember(): () => void;
  /** What a new process of the server does not know any more, although it keeps its data. */
  forgetOfProcess(): void;
}

/** A machine with a database: it can freeze, and it can end and come back. */
export class ServerNode {
  readonly database: Database;
  readonly #world: World;
  readonly #commandMs: number;
  #isUp = true;
  #frozenUntilMs = 0;
  /** What came while it was frozen, or did something else. */
  #waiting: (() => void)[] = [];
  /** What it is doing. */
  #current: WorldEvent | undefined;
  readonly #enders = new Set<() => void>();

  /** @param commandMs - how long a command takes it */
  constructor(world: World, database: Database, commandMs = 0) {
    this.#world = world;
    this.#commandMs = commandMs;
    this.database = database;
  }

  /** Whether it accepts connections. One that is frozen does: its system does it. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Does some work as soon as it can: when it is no longer frozen, and has done what came before. It does nothing if it ends before. */
  receive(work: () => void): void {
    if (!this.#isUp) return;
    this.#waiting.push(work);
    this.#work();
  }

  get #isFrozen(): boolean {
    return this.#frozenUntilMs > this.#world.nowMs;
  }

  #work(): void {
    if (this.#commandMs === 0) {
      while (!this.#isFrozen && this.#waiting.length > 0) this.#waiting.shift()?.();
      return;
    }
    if (this.#isFrozen || this.#current || this.#waiting.length === 0) return;
    this.#current = this.#world.after(this.#commandMs, PHASE.network, () => {
      this.#current = undefined;
      if (this.#isFrozen) return;
      this.#waiting.shift()?.();
      this.#work();
    });
  }

  /** Has a function called when the server ends: all its connections break. */
  whenEnded(listener: () => void): () => void {
    this.#enders.add(listener);
    return () => this.#enders.delete(listener);
  }

  freeze(forMs: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#world.nowMs + forMs);
    this.#world.at(this.#frozenUntilMs, PHASE.network, () => this.#thaw());
  }

  /** Ends, and begins again after a while with what `comeBack` leaves in the database. */
  restart(forMs: number, comeBack: () => void): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#waiting = [];
    if (this.#current) this.#current.isOver = true;
    this.#current = undefined;
    for (const end of [...this.#enders]) end();
    this.#world.after(forMs, PHASE.network, () => {
      this.database.forgetOfProcess();
      comeBack();
      this.#isUp = true;
    });
  }

  #thaw(): void {
    this.#work();
  }
}
