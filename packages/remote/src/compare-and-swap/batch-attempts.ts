// Why it is so: core/docs/why/other-databases.md

import { lateError } from '@sluice/core/src/stores/deadline';
import type { Store } from '@sluice/core/src/stores/store';
import { type Clock, systemClock, within } from '@sluice/core/src/values/clock';
import { SluiceError } from '@sluice/core/src/values/error';
import type { CompareAndSwapBackend } from './backend.js';
import type { Waiting } from './key-queue.js';
import { OpenEntries } from './open-entries.js';

/** Databases expire entries by real time, which does not follow the clock of a test. */
const LEAST_MS_OF_TESTS = 600_000;

/**
 * This many attempts follow a conflict at once. Each later attempt waits a millisecond longer than the one before, up
 * to the longest wait.
 */
const QUICK_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 10;

/** A call of the backend is given up after this many timeouts. */
export const TIMEOUTS_PER_CALL = 10;

/** What the attempts of a store have in common. */
interface AttemptTerms {
  /** How often a decision is tried. */
  readonly attempts: number;
  readonly remote: NonNullable<Store['remote']>;
  readonly clock: Clock;
  /** Whether the clock is that of a test, whose time counts instead of the database's. */
  readonly isTestClock: boolean;
}

/** Decides batches of operations again and again, until what they read is still as it was when they write. */
export class BatchAttempts {
  readonly #backend: CompareAndSwapBackend;
  readonly #terms: AttemptTerms;

  constructor(backend: CompareAndSwapBackend, terms: AttemptTerms) {
    this.#backend = backend;
    this.#terms = terms;
  }

  /** Decides a batch, and reports the results, or the failure, to the callers. */
  async settle(batch: readonly Waiting[], lost = 0): Promise<void> {
    try {
      await this.#decide(batch, lost);
    } catch (error) {
      for (const waiting of batch) waiting.fail(error);
    }
  }

  /** Decides again and again until the decisions are written, and then reports them to the callers. */
  async #decide(batch: readonly Waiting[], lostBefore: number): Promise<void> {
    const keys = [...new Set(batch.flatMap((waiting) => waiting.keys))];
    let earlier: OpenEntries | undefined;
    let settlements: readonly (() => void)[] = [];
    for (let lost = lostBefore; lost < this.#terms.attempts; lost += 1) {
      if (lost >= QUICK_ATTEMPTS) await systemClock.sleep(Math.min(lost - QUICK_ATTEMPTS + 1, LONGEST_WAIT_MS));
      const { atMs, entries } = await this.#called(this.#backend.read(keys));
      const open = new OpenEntries(this.#nowMs(atMs), keys, entries);
      if (earlier && open.areWrittenBy(earlier)) return report(settlements);
      const contested = earlier === undefined ? [] : contestedOf(batch, open, earlier);
      // Operations on other keys should not wait for a conflict that does not concern them.
      if (contested.length > 0 && contested.length < batch.length) {
        const others = batch.filter((waiting) => !contested.includes(waiting));
        await this.settle(others, lost);
        return this.settle(contested, lost);
      }
      settlements = batch.map((waiting) => waiting.attempt(open));
      const swaps = open.swaps(this.#leastKeptMs);
      if (swaps.length === 0 || (await this.#called(this.#backend.swap(swaps, this.#notAfterMs(batch, open.nowMs)))))
        return report(settlements);
      earlier = open;
    }
    throw new SluiceError(
      'SLUICE_STORE',
      `other instances changed ${keys[0]} ${this.#terms.attempts} times in a row: spread its load over several keys, or raise attempts`,
    );
  }

  #nowMs(atMs: number | undefined): number {
    const { clock, isTestClock } = this.#terms;
    return isTestClock || atMs === undefined ? clock.now() : atMs;
  }

  /**
   * A write that found its key absent is made only if the key is absent still. An entry that another instance writes meanwhile must not
   * come and go unseen, so it is kept for as long as that write may be on its way.
   */
  get #leastKeptMs(): number {
    return this.#terms.isTestClock ? LEAST_MS_OF_TESTS : TIMEOUTS_PER_CALL * this.#terms.remote.timeoutMs;
  }

  /** Gives up a call that takes much too long. Otherwise operations on its keys would wait forever. */
  #called<T>(call: Promise<T>): Promise<T> {
    const ms = TIMEOUTS_PER_CALL * this.#terms.remote.timeoutMs;
    return within(ms, call, () => lateError(this.#terms.remote), { unref: true });
  }

  /** The earliest deadline among those that are not over already. */
  #notAfterMs(batch: readonly Waiting[], nowMs: number): number | undefined {
    if (this.#terms.isTestClock) return undefined;
    let earliestMs: number | undefined;
    for (const { notAfterMs } of batch) {
      if (notAfterMs !== undefined && notAfterMs >= nowMs) earliestMs = Math.min(notAfterMs, earliestMs ?? notAfterMs);
    }
    return earliestMs;
  }
}

/** Reports the results of an attempt to the callers. */
function report(settlements: readonly (() => void)[]): void {
  for (const settle of settlements) settle();
}

/** Returns the operations whose keys have changed since an earlier attempt. */
function contestedOf(batch: readonly Waiting[], open: OpenEntries, earlier: OpenEntries): readonly Waiting[] {
  return batch.filter(({ keys }) => open.differsFrom(earlier, keys));
}
