// Why it is so: core/docs/why/other-databases.md

import { nestParts } from '@sluice/core/src/stores/check-parts';
import { Keyspace } from '@sluice/core/src/stores/keyspace';
import type { Change, ChangeResponse, Store, StoreRequest, StoreResponse, Target } from '@sluice/core/src/stores/store';
import { type Clock, clockOf, systemClock } from '@sluice/core/src/values/clock';
import { SluiceError } from '@sluice/core/src/values/error';
import { protectStore } from '../guard/remote-store.js';
import { RunningPromises } from '../guard/running-promises.js';
import type { CompareAndSwapBackend } from './backend.js';
import { BatchAttempts } from './batch-attempts.js';
import { CompareAndSwapBlocks } from './compare-and-swap-blocks.js';
import { type CompareAndSwapOptions, compareAndSwapSettings } from './compare-and-swap-options.js';
import { stateKeys } from './entry-keys.js';
import { KeyQueue } from './key-queue.js';
import { adjustOperation, consumeOperation } from './operations.js';

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
  return new CompareAndSwapStore(backend, options);
}

/** A store whose keys can be blocked by hand. */
export interface StoreWithBlocks extends Store<true> {
  consume(request: StoreRequest): Promise<StoreResponse>;
  readonly blocks: NonNullable<Store<true>['blocks']>;
}

/**
 * The store of `compareAndSwapStore`. Extend it if yours shall be a class, with options and methods of its own.
 *
 * @example
 * class MyStore extends CompareAndSwapStore {
 *   constructor({ database, ...options }: MyOptions) {
 *     super(new MyBackend(database), { name: 'my-store', ...options });
 *   }
 * }
 */
export class CompareAndSwapStore implements StoreWithBlocks {
  readonly async = true;
  readonly name: string;
  readonly clock: Clock;
  readonly supports = { atomicAcrossKeys: true } as const;
  readonly remote: NonNullable<Store['remote']>;
  readonly keyspaces: readonly [Keyspace];
  readonly blocks: NonNullable<Store<true>['blocks']>;

  readonly #backend: CompareAndSwapBackend;
  readonly #queue: KeyQueue;
  readonly #blocks: CompareAndSwapBlocks;
  readonly #resets = new RunningPromises();
  #closed: Promise<void> | undefined;

  /** @throws SluiceError `SLUICE_OPTION` */
  constructor(backend: CompareAndSwapBackend, options: CompareAndSwapOptions = {}) {
    const { name, timeoutMs, sharing, attempts, mostBatches } = compareAndSwapSettings(backend, options);
    const { clock, trouble, keyspace } = options;
    this.name = name;
    this.#backend = backend;
    this.clock = clockOf(clock);
    this.keyspaces = [keyspace ?? new Keyspace(backend)];
    this.remote = {
      timeoutMs,
      ...sharing,
      protect: protectStore,
      ...(trouble && { trouble }),
    };
    const terms = { attempts, remote: this.remote, clock: this.clock, isTestClock: clock !== undefined };
    const decided = new BatchAttempts(backend, terms);
    this.#queue = new KeyQueue(mostBatches, (batch) => decided.settle(batch));
    this.#blocks = new CompareAndSwapBlocks(async (operation) => {
      this.#checkOpen();
      return this.#queue.add(operation);
    }, clock !== undefined);
    this.blocks = this.#blocks;
  }

  async consume(request: StoreRequest): Promise<StoreResponse> {
    this.#checkOpen();
    const { response, begun } = await this.#queue.add(consumeOperation(request));
    if (begun) for (const block of begun) this.#blocks.begun(block);
    return nestParts(request, response);
  }

  async adjust(change: Change): Promise<ChangeResponse> {
    this.#checkOpen();
    return nestParts(change, await this.#queue.add(adjustOperation(change)));
  }

  /** Also counts entries that no longer matter but are still in the database. */
  async reset(targets: readonly Target[]): Promise<number> {
    this.#checkOpen();
    const keys = new Set(targets.flatMap(stateKeys));
    return keys.size === 0 ? 0 : this.#resets.add(this.#reset(targets, [...keys]));
  }

  async #reset(targets: readonly Target[], keys: readonly string[]): Promise<number> {
    const count = await this.#backend.delete(keys);
    this.#blocks.forget(targets);
    return count;
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
    await Promise.race([Promise.all([this.#queue.ended(), this.#resets.ended()]), timeout]);
    drained.abort();
    await this.#backend.close?.();
  }

  #checkOpen(): void {
    if (this.#closed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }
}
