// Why it is so: docs/why/memory-store.md

import { DEFINITIONS, isAlgorithm } from '../../algorithms/definitions.js';
import { type Clock, clockOf } from '../../values/clock.js';
import type { Verdict } from '../../values/decision.js';
import { checkName, checkOneOf, checkOptions, checkWhole } from '../../values/option-checks.js';
import { countsOfStore } from '../../values/store-counts.js';
import type { Blocks } from '../blocks.js';
import { areOutside, corrected, mostThatFits } from '../check-evaluation.js';
import { listParts, nestParts } from '../check-parts.js';
import { guaranteeAt } from '../guarantee.js';
import { Keyspace } from '../keyspace.js';
import {
  changeKeptMs,
  isRemembered,
  type MadeChange,
  madeBy,
  notMadeBecause,
  type OperationRecord,
  type RememberedRequest,
  replayOrDecide,
  slotIdOf,
} from '../operation-record.js';
import { verdictOf } from '../reply.js';
import type {
  Change,
  ChangeResponse,
  ChangeResult,
  Correction,
  LimitCheck,
  PolicyOutline,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '../store.js';
import { tooLateError } from '../store-failure.js';
import { unitChecks } from '../unit-checks.js';
import { CheckContext, Evaluator } from './evaluate.js';
import { ExpiringMap } from './expiring-map.js';
import { LimitNamespaces } from './limit-namespaces.js';
import { MemoryBlocks } from './memory-blocks.js';
import { SingleCheck } from './single-check.js';
import { KeyTable } from './table/key-table.js';

/** The options of a MemoryStore. */
export interface MemoryStoreOptions {
  /** The name under which `storeCounters()` counts the store: 1 to 128 printable ASCII characters. Default: `'memory'`. */
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

const NO_OTHERS: readonly CheckContext[] = [];

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
  readonly supports = { atomicAcrossKeys: true } as const;
  readonly keyspaces: readonly [Keyspace] = [new Keyspace(this)];
  readonly blocks: Blocks<false>;

  readonly #maxKeys: number;
  readonly #table: KeyTable;
  readonly #uncount: () => void;
  readonly #evaluator: Evaluator;
  readonly #namespaces: LimitNamespaces;
  readonly #single: SingleCheck;
  /** One context per position in a request. The next Ask uses them again. */
  readonly #contexts: CheckContext[] = [];
  /** The records of operations by their ids, and what was made by the ids of changes. */
  readonly #operations: ExpiringMap<OperationRecord>;
  readonly #changes: ExpiringMap<MadeChange>;

  constructor(options: MemoryStoreOptions = {}) {
    checkOptions(options, ['name', 'maxKeys', 'whenFull', 'clock']);
    this.name = checkName(options.name ?? 'memory', 'name');
    this.#maxKeys = checkWhole(options.maxKeys ?? 100_000, 'maxKeys', 1, 16_000_000);
    const whenFull = checkOneOf(options.whenFull ?? 'evict', 'whenFull', ['evict', 'refuse'] as const);
    this.clock = clockOf(options.clock);
    this.#table = new KeyTable(this.#maxKeys, this.clock);
    this.#namespaces = new LimitNamespaces(this.#table);
    this.blocks = new MemoryBlocks(this.#table, this.#namespaces);
    const counts = countsOfStore(this.name);
    this.#uncount = counts.addTable(this.#table);
    this.#evaluator = new Evaluator(this.#table, whenFull, counts);
    this.#single = new SingleCheck(this.#namespaces, this.#table, this.#evaluator);
    this.#operations = new ExpiringMap(this.#maxKeys);
    this.#changes = new ExpiringMap(this.#maxKeys);
  }

  /** How many keys are kept now. */
  get size(): number {
    return this.#table.size;
  }

  /** Makes what a limit needs once, so that the first request does not wait for it. */
  accept({ name, limits }: PolicyOutline): void {
    for (const { name: limit, algorithm } of limits) {
      if (algorithm !== undefined && isAlgorithm(algorithm)) this.#namespaces.of(name, limit, algorithm);
    }
  }

  consume(request: StoreRequest): StoreResponse {
    return this.#single.takes(request)
      ? this.#single.decide(request)
      : nestParts(request, this.#consume(listParts(request)));
  }

  #consume(request: StoreRequest): StoreResponse {
    const nowMs = this.#table.now();
    if (request.notAfterMs !== undefined && nowMs > request.notAfterMs) {
      throw tooLateError(nowMs);
    }
    return isRemembered(request) ? this.#consumeOnce(request, nowMs) : this.#consumeAnew(request, nowMs);
  }

  #consumeOnce(request: RememberedRequest, nowMs: number): StoreResponse {
    const { id, holdMs } = request;
    const kept = {
      record: this.#operations.recall(id, nowMs),
      holdsSlot: (check: LimitCheck, i: number, slotId: string) => this.#holdsSlot(check, i, slotId, nowMs),
      decide: () => this.#consumeAnew(request, nowMs),
      remember: (record: OperationRecord) => this.#operations.remember(id, record, nowMs + holdMs, nowMs),
    };
    return replayOrDecide(request, kept, nowMs);
  }

  #consumeAnew(request: StoreRequest, nowMs: number): StoreResponse {
    if (areOutside(request.checks, nowMs)) {
      return { atMs: nowMs, allowed: false, verdicts: [], outsideCalendarBounds: true };
    }
    return this.#decide(request, nowMs);
  }

  adjust(change: Change): ChangeResponse {
    return nestParts(change, this.#adjust(listParts(change)));
  }

  #adjust(change: Change): ChangeResponse {
    const nowMs = this.#table.now();
    const { checks, id } = change;
    if (areOutside(checks, nowMs)) return { atMs: nowMs, result: 'outside-calendar-bounds', verdicts: [] };
    const result = notMadeBecause(change, id === undefined ? undefined : this.#changes.recall(id, nowMs), nowMs);
    if (!result) return this.#correct(change, nowMs);
    const { verdicts } = this.#decide({ checks: unitChecks(checks), peek: true }, nowMs);
    return { atMs: nowMs, result, verdicts };
  }

  reset(targets: readonly Target[]): number {
    const nowMs = this.#table.now();
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

  close(): void {
    this.keyspaces[0].close();
    this.#uncount();
    this.#table.close();
  }

  #decide(request: StoreRequest, nowMs: number): StoreResponse {
    const { checks, atLeast } = request;
    let allowed = true;
    for (let i = 0; i < checks.length; i += 1) {
      const context = this.#begin(checks[i] as LimitCheck, i, nowMs);
      const guarantee = guaranteeAt(checks, i, this.#contexts);
      guarantee?.keepFree();
      this.#evaluator.evaluate(context, request, this.#contexts, i);
      guarantee?.grant(context.cost, slotIdOf(request));
      allowed &&= context.allowed || context.isShadow;
    }
    const taken = atLeast === undefined ? undefined : mostThatFits(this.#contexts.slice(0, checks.length), atLeast);
    if (request.peek !== true) this.#record(request, allowed && !request.peek, taken);
    const verdicts = this.#verdicts(checks);
    this.#evaluator.publishEvicted();
    return taken === undefined
      ? { atMs: nowMs, allowed, verdicts }
      : { atMs: nowMs, allowed, verdicts, taken: allowed ? taken : 0 };
  }

  /** Makes a change that was not made before. */
  #correct(change: Change, nowMs: number): ChangeResponse {
    const { checks, id } = change;
    let result: ChangeResult = 'expired';
    let keptMs = 0;
    for (let i = 0; i < checks.length; i += 1) {
      const check = checks[i] as Correction;
      const context = this.#begin(check, i, nowMs);
      this.#evaluator.read(context);
      const { limitState } = context;
      // Also measured before the change: a change that gives everything back leaves no state, but must not be made
      // again.
      keptMs = Math.max(keptMs, limitState.keptMs);
      // The checks before it in this change are already written, or never will be.
      const isChanged = this.#evaluator.hasRoomFor(context, NO_OTHERS, 0) && corrected(limitState, check, change);
      if (isChanged || limitState.isCorrected) this.#evaluator.write(context);
      if (isChanged) result = 'applied';
      keptMs = Math.max(keptMs, limitState.keptMs);
    }
    if (id !== undefined) {
      this.#changes.remember(id, madeBy(change), nowMs + changeKeptMs(change, keptMs, nowMs), nowMs);
    }
    const verdicts = this.#verdictsOfOneUnit(unitChecks(checks));
    this.#evaluator.publishEvicted();
    return { atMs: nowMs, result, verdicts };
  }

  /** Returns the verdicts of checks that were read, as a peek at one unit would. */
  #verdictsOfOneUnit(checks: readonly LimitCheck[]): Verdict[] {
    for (let i = 0; i < checks.length; i += 1) {
      const { cost } = checks[i] as LimitCheck;
      const context = this.#contextAt(i);
      const guarantee = guaranteeAt(checks, i, this.#contexts);
      context.cost = cost;
      guarantee?.keepFree();
      this.#evaluator.judgeAmong(context, cost, undefined, NO_OTHERS, 0);
      guarantee?.grant(cost, undefined);
    }
    return this.#verdicts(checks);
  }

  /** Returns the verdicts of checks that were judged. */
  #verdicts(checks: readonly LimitCheck[]): Verdict[] {
    const verdicts = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) {
      verdicts[i] = verdictOf(checks[i] as LimitCheck, guaranteeAt(checks, i, this.#contexts) ?? this.#contextAt(i));
    }
    return verdicts;
  }

  #holdsSlot(check: LimitCheck, place: number, slotId: string, nowMs: number): boolean {
    const context = this.#begin(check, place, nowMs);
    this.#evaluator.read(context);
    return context.limitState.holdsSlot(slotId);
  }

  /** Turns the context of a position to a check. */
  #begin(check: LimitCheck, place: number, nowMs: number): CheckContext {
    const context = this.#contextAt(place);
    context.beginIn(this.#namespaces.ofLimit(check, context.namespace), check, nowMs);
    return context;
  }

  #contextAt(place: number): CheckContext {
    this.#contexts[place] ??= new CheckContext();
    return this.#contexts[place];
  }

  /** Writes the units of an admission or a refusal. */
  #record(request: StoreRequest, isAllowed: boolean, taken: number | undefined): void {
    // A renewal is not a new request: each slot is renewed, or not, by itself.
    const maySpend = isAllowed || request.renew !== undefined;
    const slotId = slotIdOf(request);
    for (let i = 0; i < request.checks.length; i += 1) {
      const context = this.#contextAt(i);
      this.#evaluator.recordIn(context, context.unitsFor(request, maySpend, taken), maySpend, slotId);
    }
  }
}
