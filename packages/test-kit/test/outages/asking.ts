import { setTimeout as pause } from 'node:timers/promises';
import { createLimiter, type Decision, type Limiter, type Store } from '@sluice/core';
import { Turns } from './turns.js';

/** The deadline of every store here. */
export const DEADLINE_MS = 100;

/** What stands behind the name of a client of Redis that asks Sentinel for the server, or a cluster. */
export const [BY_SENTINEL, OF_CLUSTER] = [', by Sentinel', ', cluster'] as const;

/** Who decides while the store does not. */
const CHOICES = ['local', 'allow', 'deny'] as const;

/** So many that each node of a cluster has one. */
const SUBJECTS = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'];

const EVERY_MS = 20;

/** What the test tells a process that asks: to begin a part of the scene, to wait until the store decides, or to end. */
export type Order = { readonly begin: string } | { readonly await: 'store' } | { readonly end: true };

/** One answer: how long after its deadline it came, and the longest turn of the event loop around it. */
export interface Lateness {
  readonly lateMs: number;
  readonly turnMs: number;
}

/** What happened in a part of the scene. */
export interface Part {
  readonly name: string;
  readonly sources: Partial<Record<Decision['source'], number>>;
  /** The answer that was the latest. */
  latest: Lateness;
  /** The most that an answer was later than its deadline and the turn around it. */
  beyondMs: number;
  /** The same of bare timers, which are set when the store is asked, and read what has come before they give up, too. */
  timersBeyondMs: number;
}

/** What a process that asks has, and how to end all of it but the store. */
export interface Asked {
  readonly store: Store<true>;
  end(): unknown;
}

/** Somebody waits until the store has decided about every subject. */
interface Awaited {
  readonly sinceMs: number;
  readonly subjects: Set<string>;
  readonly resolve: () => void;
}

/** Asks a store without a pause, until it is told to end. Whatever rejects and is not handled ends the process with an error. */
export class Asking {
  readonly #asked: Asked;
  readonly #limiters: readonly Limiter<string, true>[];
  readonly #turns = new Turns();
  readonly #parts: Part[] = [];
  readonly #running = new Set<Promise<void>>();
  #awaited: Awaited | undefined;
  #hasEnded = false;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#limiters = CHOICES.map((onStoreError) =>
      createLimiter({ name: onStoreError, limit: 1_000_000_000, window: '1h', onStoreError, store: asked.store }),
    );
    this.begin('start');
    process.on('message', (order: Order) => void this.#follow(order));
    void this.#askOn();
  }

  begin(name: string): void {
    this.#parts.push({
      name,
      sources: {},
      latest: { lateMs: Number.NEGATIVE_INFINITY, turnMs: 0 },
      beyondMs: 0,
      timersBeyondMs: 0,
    });
  }

  async #follow(order: Order): Promise<void> {
    if ('begin' in order) {
      this.begin(order.begin);
      process.send?.('begun');
    } else if ('await' in order) {
      const sinceMs = performance.now();
      await new Promise<void>((resolve) => {
        this.#awaited = { sinceMs, subjects: new Set(SUBJECTS), resolve };
      });
      process.send?.(performance.now() - sinceMs);
    } else {
      this.#hasEnded = true;
      await Promise.all(this.#running);
      this.#turns.stop();
      await this.#asked.store.close();
      await this.#asked.end();
      process.send?.(this.#parts, () => process.disconnect());
    }
  }

  async #askOn(): Promise<void> {
    while (!this.#hasEnded) {
      this.#setTimer();
      for (const limiter of this.#limiters) for (const subject of SUBJECTS) this.#ask(limiter, subject);
      await pause(EVERY_MS);
    }
  }

  #setTimer(): void {
    const part = this.#parts.at(-1) as Part;
    const startMs = performance.now();
    const passed = (): void => {
      const lateMs = performance.now() - startMs - DEADLINE_MS;
      part.timersBeyondMs = Math.max(part.timersBeyondMs, lateMs - this.#turns.longestSince(startMs));
    };
    setTimeout(() => setImmediate(passed), DEADLINE_MS);
  }

  #ask(limiter: Limiter<string, true>, subject: string): void {
    const asking = this.#answered(limiter, subject).finally(() => this.#running.delete(asking));
    this.#running.add(asking);
  }

  async #answered(limiter: Limiter<string, true>, subject: string): Promise<void> {
    const part = this.#parts.at(-1) as Part;
    const startMs = performance.now();
    const { source } = await limiter.consume(subject);
    const lateMs = performance.now() - startMs - DEADLINE_MS;
    part.sources[source] = (part.sources[source] ?? 0) + 1;
    if (lateMs > Math.min(0, part.latest.lateMs)) {
      const turnMs = this.#turns.longestSince(startMs);
      if (lateMs > part.latest.lateMs) part.latest = { lateMs, turnMs };
      part.beyondMs = Math.max(part.beyondMs, lateMs - turnMs);
    }
    if (source === 'store') this.#noteStore(subject, startMs);
  }

  #noteStore(subject: string, startMs: number): void {
    const awaited = this.#awaited;
    if (!awaited || startMs < awaited.sinceMs) return;
    awaited.subjects.delete(subject);
    if (awaited.subjects.size > 0) return;
    this.#awaited = undefined;
    awaited.resolve();
  }
}
