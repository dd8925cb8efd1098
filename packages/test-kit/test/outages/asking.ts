import { setTimeout as pause } from 'node:timers/promises';
import { createLimiter, type Decision, type Limiter, type Store } from '@sluice/core';
import { Turns } from './turns.js';

/** The deadline of every store here. */
export const DEADLINE_MS = 100;

/** Who decides while the store does not. */
const CHOICES = ['local', 'allow', 'deny'] as const;

const [EVERY_MS, SUBJECTS] = [10, ['ann', 'bob', 'cid']] as const;

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
}

/** What a process that asks has, and how to end all of it but the store. */
export interface Asked {
  readonly store: Store<true>;
  end(): unknown;
}

/** Asks a store without a pause, until it is told to end. Whatever rejects and is not handled ends the process with an error. */
export class Asking {
  readonly #asked: Asked;
  readonly #limiters: readonly Limiter<string, true>[];
  readonly #turns = new Turns();
  readonly #parts: Part[] = [];
  readonly #running = new Set<Promise<void>>();
  #whenStore: { readonly sinceMs: number; readonly resolve: () => void } | undefined;
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
    this.#parts.push({ name, sources: {}, latest: { lateMs: Number.NEGATIVE_INFINITY, turnMs: 0 }, beyondMs: 0 });
  }

  async #follow(order: Order): Promise<void> {
    if ('begin' in order) {
      this.begin(order.begin);
      process.send?.('begun');
    } else if ('await' in order) {
      const sinceMs = performance.now();
      await new Promise<void>((resolve) => {
        this.#whenStore = { sinceMs, resolve };
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
      for (const limiter of this.#limiters) for (const subject of SUBJECTS) this.#ask(limiter, subject);
      await pause(EVERY_MS);
    }
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
    if (source === 'store' && this.#whenStore && startMs >= this.#whenStore.sinceMs) {
      this.#whenStore.resolve();
      this.#whenStore = undefined;
    }
  }
}
