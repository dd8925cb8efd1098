// Why it is so: docs/why/other-databases.md

import { checkLimit } from '../../algorithms/check-limit.js';
import { isAlgorithm } from '../../algorithms/definitions.js';
import { type Clock, clockOf, systemClock, within } from '../../values/clock.js';
import { type Duration, timerMs } from '../../values/duration.js';
import { optionError, SluiceError, show } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import { checkName, checkOptions, checkWhole } from '../../values/option-checks.js';
import type { Blocks } from '../blocks.js';
import { checkSlotId } from '../check-evaluation.js';
import { listParts, nestParts } from '../check-parts.js';
import { lateError } from '../deadline.js';
import { Keyspace } from '../keyspace.js';
import type { Change, ChangeResponse, LimitCheck, Store, StoreRequest, StoreResponse, Target } from '../store.js';
import type { CompareAndSwapBackend } from './backend.js';
import { CompareAndSwapBlocks } from './compare-and-swap-blocks.js';
import { stateKeys } from './entry-keys.js';
import { KeyQueue, type Waiting } from './key-queue.js';
import { OpenEntries } from './open-entries.js';
import { adjustOperation, consumeOperation } from './operations.js';

/** The options of `compareAndSwapStore`. */
export interface CompareAndSwapOptions {
  /**
   * The name under which `storeCounters()` counts the store: 1 to 128 printable ASCII characters. Default: `'store'`.
   */
  name?: string;
  /** How long a decision may take: at most 2.4 days. After that, the policy's `onStoreError` decides. Default: 100 ms. */
  timeout?: Duration;
  /**
   * How many instances of the application share the database. It determines the share that each instance admits by
   * itself while the database is unreachable. Default: 1.
   */
  instances?: number;
  /** How often a decision is tried if other instances change its keys meanwhile: 1 to 1,000. Default: 50. */
  attempts?: number;
  /**
   * The most reads and writes that this process runs at the same time. Further decisions wait, and then share the next
   * read and write. A low number is cheaper for a database with few connections. Default: no maximum.
   */
  parallel?: number;
  /** Returns why the database cannot answer now, if that is known. Error messages contain it. */
  trouble?: () => string | undefined;
  /** The place where the database counts. Default: stores with the same backend object count together. */
  keyspace?: Keyspace;
  /** The time for tests, instead of the database's time. Entries are then kept for at least 10 minutes. */
  clock?: Clock;
}

const OPTIONS = ['name', 'timeout', 'instances', 'attempts', 'parallel', 'trouble', 'keyspace', 'clock'] as const;

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

/**
 * Makes a store of a database that can change a few keys in one step, if they are still as they were read. You write
 * the three methods of the backend, and no algorithm: every limit works. The store passes `storeSuite`.
 *
 * A decision reads its keys, and writes those that change. If another instance was faster, the decision is made again
 * from the new values. Decisions of this process about the same keys share reads and writes.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example const store = compareAndSwapStore(new MyBackend(database), { timeout: '100ms', instances: 4 });
 */
export function compareAndSwapStore(
  backend: CompareAndSwapBackend,
  options: CompareAndSwapOptions = {},
): StoreWithBlocks {
  for (const method of ['read', 'swap', 'delete'] as const) {
    if (typeof backend?.[method] !== 'function')
      throw optionError('backend', 'must have the methods read, swap and delete', backend);
  }
  checkOptions(options, OPTIONS);
  return new CompareAndSwapStore(backend, options);
}

/** A store whose keys can be blocked by hand. */
export interface StoreWithBlocks extends Store<true> {
  consume(request: StoreRequest): Promise<StoreResponse>;
  readonly blocks: Blocks<true>;
}

class CompareAndSwapStore implements StoreWithBlocks {
  readonly async = true;
  readonly name: string;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true } as const;
  readonly remote: NonNullable<Store['remote']>;
  readonly keyspaces: readonly [Keyspace];
  readonly blocks: Blocks<true>;

  readonly #backend: CompareAndSwapBackend;
  readonly #attempts: number;
  readonly #testClock: Clock | undefined;
  readonly #queue: KeyQueue;
  readonly #blocks: CompareAndSwapBlocks;
  readonly #resets = new Set<Promise<number>>();
  #closed: Promise<void> | undefined;

  constructor(backend: CompareAndSwapBackend, options: CompareAndSwapOptions) {
    const { name = 'store', clock, timeout = 100, instances = 1, attempts = 50, parallel, trouble, keyspace } = options;
    this.name = checkName(name, 'name');
    this.#backend = backend;
    this.#testClock = clock;
    this.#attempts = checkWhole(attempts, 'attempts', 1, 1000);
    const mostBatches = parallel === undefined ? Number.POSITIVE_INFINITY : checkWhole(parallel, 'parallel', 1);
    this.#queue = new KeyQueue(mostBatches, (batch) => this.#settle(batch));
    this.#blocks = new CompareAndSwapBlocks(async (operation) => {
      this.#checkOpen();
      return this.#queue.add(operation);
    }, clock !== undefined);
    this.blocks = this.#blocks;
    this.clock = clockOf(clock);
    this.keyspaces = [keyspace ?? new Keyspace(backend)];
    this.remote = {
      timeoutMs: timerMs(timeout, 'timeout', TIMEOUTS_PER_CALL),
      instances: checkWhole(instances, 'instances', 1),
      ...(trouble && { trouble }),
    };
  }

  async consume(request: StoreRequest): Promise<StoreResponse> {
    this.#checkOpen();
    checkUnits(request.atLeast ?? 0, 'atLeast');
    const listed = listParts(request);
    for (const check of listed.checks) {
      checkCheck(check);
      checkSlotId(check.limit, check.name, request);
    }
    const { response, begun } = await this.#queue.add(consumeOperation(listed));
    if (begun) for (const block of begun) this.#blocks.begun(block);
    return nestParts(request, response);
  }

  async adjust(change: Change): Promise<ChangeResponse> {
    this.#checkOpen();
    const listed = listParts(change);
    for (const check of listed.checks) checkCheck(check);
    return nestParts(change, await this.#queue.add(adjustOperation(listed)));
  }

  /** Also counts entries that no longer matter but are still in the database. */
  async reset(targets: readonly Target[]): Promise<number> {
    this.#checkOpen();
    const keys = new Set(targets.flatMap(stateKeys));
    if (keys.size === 0) return 0;
    const deleted = this.#backend.delete([...keys]);
    this.#resets.add(deleted);
    try {
      const count = await deleted;
      this.#blocks.forget(targets);
      return count;
    } finally {
      this.#resets.delete(deleted);
    }
  }

  /** Waits until running operations have ended, at most as long as a decision may take. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.keyspaces[0].close();
    const drained = new AbortController();
    const timeout = systemClock.sleep(this.remote.timeoutMs, drained.signal).catch(() => {});
    await Promise.race([Promise.all([this.#queue.ended(), Promise.allSettled(this.#resets)]), timeout]);
    drained.abort();
    await this.#backend.close?.();
  }

  #checkOpen(): void {
    if (this.#closed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  async #settle(batch: readonly Waiting[], lost = 0): Promise<void> {
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
    for (let lost = lostBefore; lost < this.#attempts; lost += 1) {
      if (lost >= QUICK_ATTEMPTS) await systemClock.sleep(Math.min(lost - QUICK_ATTEMPTS + 1, LONGEST_WAIT_MS));
      const { atMs, entries } = await this.#called(this.#backend.read(keys));
      const open = new OpenEntries(this.#testClock?.now() ?? atMs ?? this.clock.now(), keys, entries);
      if (earlier && open.areWrittenBy(earlier)) return report(settlements);
      const contested = earlier === undefined ? [] : contestedOf(batch, open, earlier);
      // Operations on other keys should not wait for a conflict that does not concern them.
      if (contested.length > 0 && contested.length < batch.length) {
        const others = batch.filter((waiting) => !contested.includes(waiting));
        await this.#settle(others, lost);
        return this.#settle(contested, lost);
      }
      settlements = batch.map((waiting) => waiting.attempt(open));
      const swaps = open.swaps(this.#testClock ? LEAST_MS_OF_TESTS : 1);
      if (swaps.length === 0 || (await this.#called(this.#backend.swap(swaps, this.#notAfterMs(batch, open.nowMs)))))
        return report(settlements);
      earlier = open;
    }
    throw new SluiceError(
      'SLUICE_STORE',
      `other instances changed ${keys[0]} ${this.#attempts} times in a row: spread its load over several keys, or raise attempts`,
    );
  }

  /** Gives up a call that takes much too long. Otherwise operations on its keys would wait forever. */
  #called<T>(call: Promise<T>): Promise<T> {
    const ms = TIMEOUTS_PER_CALL * this.remote.timeoutMs;
    return within(ms, call, () => lateError(this.remote), { unref: true });
  }

  /** The earliest deadline among those that are not over already. */
  #notAfterMs(batch: readonly Waiting[], nowMs: number): number | undefined {
    if (this.#testClock) return undefined;
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

/** Limits that passed the check. */
const countable = new WeakSet<Limit>();

/**
 * Checks that a check can be counted.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED`, `SLUICE_COST`, `SLUICE_OPTION`
 */
function checkCheck({ limit, cost }: LimitCheck): void {
  checkUnits(cost, 'a cost');
  if (countable.has(limit)) return;
  if (!isAlgorithm(limit.algorithm)) {
    throw new SluiceError('SLUICE_UNSUPPORTED', `no store supports the algorithm ${show(limit.algorithm)}`);
  }
  countable.add(checkLimit(limit, 'limit'));
}

function checkUnits(units: number, what: string): void {
  if (!Number.isSafeInteger(units))
    throw new SluiceError('SLUICE_COST', `${what} must be a safe integer, got ${units}`);
}
