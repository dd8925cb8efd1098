// Why it is so: docs/why/memory-store.md

import type { Algorithm } from '../../algorithms/definition.js';
import { type KeyState, NOWHERE, newKeyState } from '../../algorithms/key-state.js';
import { publish } from '../../values/events.js';
import type { Limit } from '../../values/limit.js';
import type { StoreRecorder } from '../../values/store-recorder.js';
import { blockedHash } from '../blocks.js';
import { CheckEvaluation, checkSlotId } from '../check-evaluation.js';
import { slotIdOf } from '../operation-record.js';
import type { LimitCheck, StoreRequest } from '../store.js';
import type { LimitNamespace } from './limit-namespaces.js';
import { KeyCursor, type KeyTable } from './table/key-table.js';
import { type Exhaustion, MUCH, notExhausted } from './table/rows.js';

/** How long a new key is told to wait if there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/** The fields of a request that concern all of its checks. */
type Terms = Pick<StoreRequest, 'id' | 'attempt' | 'peek' | 'renew' | 'atLeast'>;

/**
 * The evaluation of one check by the row of its key in the table. It is used again and again, so that a decision
 * allocates only its response.
 */
export class RowEvaluation extends CheckEvaluation {
  namespace!: LimitNamespace;
  readonly cursor = new KeyCursor();
  key = '';
  /** The state of the key in the table; undefined for a new key. */
  keyState: KeyState | undefined;
  /** Whether the key is new and the table is full. */
  hasNoRoom = false;

  /** States that rows are read into, by algorithm, because the states of algorithms differ. */
  readonly #scratches = new Map<Algorithm, KeyState>();
  #scratch: KeyState | undefined;

  /** Turns the evaluation to another check. */
  beginIn(namespace: LimitNamespace, check: LimitCheck, nowMs: number): void {
    this.begin(check, nowMs);
    this.enter(namespace, check.limit);
    this.key = check.key;
  }

  /** Turns the evaluation to this limit. */
  enter(namespace: LimitNamespace, limit: Limit): void {
    this.limit = limit;
    if (namespace === this.namespace) return;
    this.namespace = namespace;
    this.cursor.enter(namespace);
    this.#scratch = this.#scratches.get(namespace.algorithm);
  }

  /** Returns a state of this algorithm that can be overwritten. */
  scratch(): KeyState {
    this.#scratch ??= this.#makeScratch();
    return this.#scratch;
  }

  /** Called if the table keeps the scratch object itself. The next check then needs another one. */
  dropScratch(): void {
    this.#scratch = undefined;
    this.#scratches.delete(this.namespace.algorithm);
  }

  #makeScratch(): KeyState {
    const { algorithm, kernel } = this.namespace;
    const keyState = newKeyState(kernel.fresh(this.limit, this.nowMs));
    keyState.stamp = NOWHERE;
    this.#scratches.set(algorithm, keyState);
    return keyState;
  }

  override get closedMs(): number | 'never' {
    return this.hasNoRoom ? NO_ROOM_RETRY_MS : super.closedMs;
  }

  override get remaining(): number {
    return this.hasNoRoom ? 0 : super.remaining;
  }

  override get retryAfterMs(): number | 'never' {
    return this.hasNoRoom ? NO_ROOM_RETRY_MS : super.retryAfterMs;
  }
}

/** Evaluates checks by the states in a key table, and writes the result there. */
export class RowEvaluator {
  readonly #table: KeyTable;
  readonly #recorder: StoreRecorder;
  readonly #refusesWhenFull: boolean;

  constructor(table: KeyTable, whenFull: 'evict' | 'refuse', recorder: StoreRecorder) {
    this.#table = table;
    this.#recorder = recorder;
    this.#refusesWhenFull = whenFull === 'refuse';
  }

  /** Decides whether the limit of a check admits it. Checks that stand earlier in `all` come first. */
  evaluate(evaluation: RowEvaluation, terms: Terms, all: readonly RowEvaluation[], index: number): void {
    checkSlotId(evaluation.limit, evaluation.namespace.name, terms);
    this.read(evaluation);
    this.judgeAmong(evaluation, terms.atLeast ?? evaluation.cost, slotIdOf(terms), all, index, terms.renew);
  }

  /** Reads the state of a check's key under its limit. */
  read(evaluation: RowEvaluation): void {
    const { cursor, key } = evaluation;
    evaluation.keyState = this.#table.find(cursor, key) ? this.#table.read(cursor, evaluation.scratch()) : undefined;
    const { kernel, blocks, name } = evaluation.namespace;
    evaluation.readState(kernel, evaluation.keyState);
    if (blocks.held.size === 0) return;
    const heldUntilMs = blocks.heldUntilMs(name, key, evaluation.nowMs);
    if (heldUntilMs > evaluation.nowMs) evaluation.limitState.hold(heldUntilMs);
  }

  /** Like `evaluate`, for this many units of a check that was already read. */
  judgeAmong(
    evaluation: RowEvaluation,
    units: number,
    id: string | undefined,
    all: readonly RowEvaluation[],
    index: number,
    renew?: StoreRequest['renew'],
  ): void {
    evaluation.hasNoRoom = !this.hasRoomFor(evaluation, all, index);
    if (evaluation.hasNoRoom) evaluation.deny();
    else evaluation.judge(units, id, renew);
  }

  /**
   * Whether there is room for the key of a check, if it is new. Keys of checks that stand earlier in `all` come first.
   */
  hasRoomFor({ cursor, nowMs }: RowEvaluation, all: readonly RowEvaluation[], index: number): boolean {
    return cursor.row !== 0 || !this.#refusesWhenFull || this.#hasRoomAt(index, all, nowMs);
  }

  /** Whether there is room for the new key of a check after the checks before it have got theirs. */
  #hasRoomAt(index: number, all: readonly RowEvaluation[], nowMs: number): boolean {
    const before = all.slice(0, index);
    return this.#table.hasRoomFor(() => before.filter(({ cursor }) => !this.#table.has(cursor)).length + 1, nowMs);
  }

  /** Writes the units of an admission or a refusal. */
  recordIn(evaluation: RowEvaluation, units: number, maySpend: boolean, id?: string): void {
    if (evaluation.hasNoRoom || !evaluation.record(units, maySpend, id)) return;
    this.write(evaluation);
    const { limitState, isShadow, namespace, key } = evaluation;
    if (!limitState.hasBegunBlock || isShadow) return;
    const { ownBlock } = limitState;
    if (ownBlock) namespace.blocks.begun(blockedHash({ key }), ownBlock.untilMs, ownBlock.strikes);
  }

  /** Writes the state of the check's key. */
  write(evaluation: RowEvaluation): void {
    const { cursor, limitState, nowMs } = evaluation;
    const { keptMs } = limitState;
    if (keptMs === 0) {
      this.#table.remove(cursor);
      return;
    }
    const expiresMs = nowMs + keptMs;
    const keyState = evaluation.keyState ?? evaluation.scratch();
    limitState.writeTo(keyState);
    const exhaustion = exhaustionOf(evaluation, keyState.strikes, expiresMs);
    // The store keeps blocks that were set by hand elsewhere: no key that is evicted takes them along.
    keyState.heldUntilMs = 0;
    if (this.#table.write(cursor, keyState, expiresMs, exhaustion, nowMs)) evaluation.dropScratch();
  }

  /**
   * Counts and publishes how many keys that had used much were evicted, if any. It comes last, because listeners may use the
   * same store.
   */
  publishEvicted(): void {
    const keys = this.#table.takeEvicted();
    if (keys === 0) return;
    this.#recorder.evictedKeys += keys;
    publish('sluice:evicted', { keys });
  }
}

/**
 * Returns the exhaustion of a key, which ends when the key admits one unit. A key that never does is exhausted as long as it
 * is kept. A key with strikes counts as one that has used much, because its next block
 * would be shorter without them.
 */
function exhaustionOf({ limitState, limit, nowMs }: RowEvaluation, strikes: number, expiresMs: number): Exhaustion {
  if (limitState.remaining > 0) return strikes > 0 ? -MUCH : notExhausted(limitState.used, limit.quota);
  const untilMs = limitState.untilMs(1);
  return untilMs === 'never' ? expiresMs : Math.min(expiresMs, nowMs + untilMs);
}
