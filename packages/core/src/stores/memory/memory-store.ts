// Why it is so: docs/why/memory-store.md

import { DEFINITIONS, isAlgorithm } from '../../algorithms/definitions.js';
import { type Clock, clockOf } from '../../values/clock.js';
import { checkName, checkOneOf, checkOptions, checkWhole } from '../../values/option-checks.js';
import { storeRecorder } from '../../values/store-recorder.js';
import type { Blocks } from '../blocks.js';
import { listParts, nestParts } from '../check-parts.js';
import { Keyspace } from '../keyspace.js';
import type { Change, ChangeResponse, PolicyOutline, Store, StoreRequest, StoreResponse, Target } from '../store.js';
import { GeneralRoute } from './general-route.js';
import { LimitNamespaces } from './limit-namespaces.js';
import { MemoryBlocks } from './memory-blocks.js';
import { OperationRoute } from './operation-route.js';
import { RowEvaluator } from './row-evaluator.js';
import { SingleCheck } from './single-check.js';
import { KeyTable } from './table/key-table.js';

/** The options of a MemoryStore. */
export interface MemoryStoreOptions {
  /** The name under which `storeMetrics()` counts the store: 1 to 128 printable ASCII characters. Default: `'memory'`. */
  name?: string;
  /**
   * How many keys are kept: 1 to 16,000,000. Each limit of a policy counts its own keys. As many replies of operations with an
   * id are remembered, and as many corrections; the oldest are dropped first. Default: 100,000.
   */
  maxKeys?: number;
  /**
   * What happens to a new key if the store is full. `'evict'` (default) removes another key: expired keys first, then
   * keys that have used at most an eighth of their quota or one unit, then up to half, then more, and exhausted and
   * blocked keys last. `'refuse'` refuses the new key, with a retry after one second. It is charged
   * nothing, not even by `charge` and `settle`.
   */
  whenFull?: 'evict' | 'refuse';
  /** The clock. Default: the monotonic clock of the system. */
  clock?: Clock;
}

/**
 * Counts in this process and decides at once. Choose it for one process, for tests, or for limits per process. To share
 * limits between processes, use a store like `RedisStore`. Its memory is bounded by `maxKeys`. One timer serves all
 * keys, and it does not keep the process alive.
 *
 * A key takes about 65 bytes under most limits. The store keeps no text of a key, but a fingerprint of 64 bits, made
 * with random numbers of its own. Among a million keys, the chance that any two are confused is 3 in 100 million. A
 * client cannot choose keys that make it more likely.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example const limiter = createLimiter({ limit: 100, window: '1m', store: new MemoryStore({ maxKeys: 1_000_000 }) });
 */
export class MemoryStore implements Store<false> {
  readonly async = false;
  readonly name: string;
  readonly clock: Clock;
  /** All checks of a request are decided in one step, whatever their keys are. */
  readonly supports = { atomicAcrossKeys: true } as const;
  readonly keyspaces: readonly [Keyspace] = [new Keyspace(this)];
  readonly blocks: Blocks<false>;

  readonly #table: KeyTable;
  readonly #stopRecording: () => void;
  readonly #namespaces: LimitNamespaces;
  readonly #single: SingleCheck;
  readonly #operations: OperationRoute;

  constructor(options: MemoryStoreOptions = {}) {
    checkOptions(options, ['name', 'maxKeys', 'whenFull', 'clock']);
    this.name = checkName(options.name ?? 'memory', 'name');
    const maxKeys = checkWhole(options.maxKeys ?? 100_000, 'maxKeys', 1, 16_000_000);
    const whenFull = checkOneOf(options.whenFull ?? 'evict', 'whenFull', ['evict', 'refuse'] as const);
    this.clock = clockOf(options.clock);
    this.#table = new KeyTable(maxKeys, this.clock);
    this.#namespaces = new LimitNamespaces(this.#table);
    const recorder = storeRecorder(this.name);
    this.#stopRecording = recorder.addTable(this.#table);
    const evaluator = new RowEvaluator(this.#table, whenFull, recorder);
    this.#single = new SingleCheck(this.#namespaces, this.#table, evaluator);
    this.#operations = new OperationRoute(new GeneralRoute(this.#namespaces, evaluator), maxKeys);
    this.blocks = new MemoryBlocks(this.#table, this.#namespaces, this.#operations);
  }

  /** How many keys are kept now. */
  get size(): number {
    return this.#table.size;
  }

  /** Makes what a limit needs once, so that the first request does not wait for it. */
  accept({ name, limits }: PolicyOutline): void {
    try {
      for (const { name: limit, algorithm } of limits) {
        if (algorithm !== undefined && isAlgorithm(algorithm)) this.#namespaces.of(name, limit, algorithm);
      }
    } catch {
      // A Worker that is being loaded has no random numbers. The first request makes it.
    }
  }

  consume(request: StoreRequest): StoreResponse {
    return (
      this.#single.decide(request) ?? nestParts(request, this.#operations.consume(listParts(request), this.#nowMs))
    );
  }

  adjust(change: Change): ChangeResponse {
    return nestParts(change, this.#operations.adjust(listParts(change), this.#nowMs));
  }

  reset(targets: readonly Target[]): number {
    const nowMs = this.#nowMs;
    let forgotten = 0;
    for (const target of targets) {
      const { policy, name, key } = target;
      if (this.#namespaces.blocksOf(policy).lift(target, nowMs)) forgotten += 1;
      for (const { algorithm } of DEFINITIONS) {
        const namespace = this.#namespaces.of(policy, name, algorithm);
        if (this.#table.forget(namespace, key, nowMs)) forgotten += 1;
      }
    }
    return forgotten;
  }

  get #nowMs(): number {
    return this.#table.clock.now();
  }

  close(): void {
    this.keyspaces[0].close();
    this.#stopRecording();
    this.#table.close();
  }
}
