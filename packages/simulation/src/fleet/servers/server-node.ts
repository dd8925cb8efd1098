import { PHASE } from '../../world/event-queue.js';
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
  #isUp = true;
  #frozenUntilMs = 0;
  /** What came while it was frozen. */
  #waiting: (() => void)[] = [];
  readonly #enders = new Set<() => void>();

  constructor(world: World, database: Database) {
    this.#world = world;
    this.database = database;
  }

  /** Whether it accepts connections. One that is frozen does: its system does it. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Does some work now, or when it is no longer frozen. It does nothing if it ends before. */
  receive(work: () => void): void {
    if (!this.#isUp) return;
    if (this.#frozenUntilMs > this.#world.nowMs) this.#waiting.push(work);
    else work();
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
    for (const end of [...this.#enders]) end();
    this.#world.after(forMs, PHASE.network, () => {
      this.database.forgetOfProcess();
      comeBack();
      this.#isUp = true;
    });
  }

  #thaw(): void {
    if (this.#frozenUntilMs > this.#world.nowMs) return;
    for (const work of this.#waiting.splice(0)) this.receive(work);
  }
}
