import type { Algorithm } from '../../algorithms/definition.js';
import type { KeyState, LimitState } from '../../algorithms/limit-state.js';
import { publish } from '../../values/events.js';
import type { Limit } from '../../values/limit.js';
import { CheckEvaluation, checkSlotId } from '../check-evaluation.js';
import type { Ask, Check } from '../store.js';
import type { LimitNamespace } from './limit-namespaces.js';
import { KeyCursor, type KeyTable } from './table/key-table.js';

/** What a new key waits when there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/** What an Ask says about all of its checks. */
export type Terms = Pick<Ask, 'id' | 'peek' | 'atLeast'>;

/**
 * The evaluation of one check, with where its key is in the table. It is used again and again, so that a decision leaves
 * nothing for the garbage collector but its answer.
 */
export class CheckContext extends CheckEvaluation {
  namespace!: LimitNamespace;
  readonly cursor = new KeyCursor();
  /** What the table keeps of the key; undefined of a new key. */
  keyState: KeyState | undefined;
  /** A new key that a full table has no place for. */
  hasNoRoom = false;

  /** States to read rows into, by algorithm, since each has its own kind of state. */
  readonly #scratches = new Map<Algorithm, KeyState>();
  #scratch: KeyState | undefined;

  /** Makes it the context of another check. */
  beginIn(namespace: LimitNamespace, check: Check, nowMs: number): void {
    this.begin(check, nowMs);
    this.enter(namespace, check.limit);
    this.cursor.turnTo(check.key);
  }

  /** Makes it a context of this limit. */
  enter(namespace: LimitNamespace, limit: Limit): void {
    this.limit = limit;
    if (namespace === this.namespace) return;
    this.namespace = namespace;
    this.cursor.enter(namespace);
    this.#scratch = this.#scratches.get(namespace.algorithm);
  }

  /** A state of this algorithm that may be written to. */
  scratch(): KeyState {
    this.#scratch ??= this.#makeScratch();
    return this.#scratch;
  }

  /** The table keeps the scratch itself, so the next check needs another. */
  dropScratch(): void {
    this.#scratch = undefined;
    this.#scratches.delete(this.namespace.algorithm);
  }

  #makeScratch(): KeyState {
    const { algorithm, kernel } = this.namespace;
    const keyState = { state: kernel.fresh(this.limit, this.nowMs), blockEndsMs: 0, admittedMs: -1, stamp: 0 };
    this.#scratches.set(algorithm, keyState);
    return keyState;
  }

  override get remaining(): number {
    return this.hasNoRoom ? 0 : super.remaining;
  }

  override get retryAfterMs(): number | 'never' {
    return this.hasNoRoom ? NO_ROOM_RETRY_MS : super.retryAfterMs;
  }
}

/** Evaluates checks by the states in a key table, and writes there what the answers spend. */
export class Evaluator {
  readonly #table: KeyTable;
  readonly #refusesWhenFull: boolean;

  constructor(table: KeyTable, whenFull: 'evict' | 'refuse') {
    this.#table = table;
    this.#refusesWhenFull = whenFull === 'refuse';
  }

  /** Finds out whether a check's limit admits it, beside the checks that stand before its place among `all`. */
  evaluate(context: CheckContext, terms: Terms, all: readonly CheckContext[], place: number): void {
    checkSlotId(context.limit, context.namespace.name, terms);
    this.read(context);
    this.judgeAmong(context, terms.atLeast ?? context.cost, terms.id, all, place);
  }

  /** Reads how the limit of a check stands with its key. */
  read(context: CheckContext): void {
    const { cursor } = context;
    context.keyState = this.#table.find(cursor) ? this.#table.read(cursor, context.scratch()) : undefined;
    context.readState(context.namespace.kernel, context.keyState);
  }

  /** As `evaluate`, for so many units of a check whose limit was read. */
  judgeAmong(
    context: CheckContext,
    units: number,
    id: string | undefined,
    all: readonly CheckContext[],
    place: number,
  ): void {
    context.hasNoRoom = !this.hasRoomFor(context, all, place);
    if (context.hasNoRoom) context.deny();
    else context.judge(units, id);
  }

  /** Whether the key of a check, if it is new, has room beside those that stand before its place among `all`. */
  hasRoomFor({ cursor, nowMs }: CheckContext, all: readonly CheckContext[], place: number): boolean {
    return cursor.row !== 0 || !this.#refusesWhenFull || this.#hasRoomAt(place, all, nowMs);
  }

  /** Whether the new key of a check has a place when those of the checks before it have theirs. */
  #hasRoomAt(place: number, all: readonly CheckContext[], nowMs: number): boolean {
    const before = all.slice(0, place);
    return this.#table.hasRoomFor(() => before.filter(({ cursor }) => !this.#table.has(cursor)).length + 1, nowMs);
  }

  /** Writes what an answer spends, or what a refusal leaves behind: so many units. */
  recordIn(context: CheckContext, units: number, maySpend: boolean, id?: string): void {
    if (!context.hasNoRoom && context.record(units, maySpend, id)) this.write(context);
  }

  /** Writes how the limit of a check stands with its key now. */
  write(context: CheckContext): void {
    const { cursor, limitState, nowMs } = context;
    const { keptMs } = limitState;
    if (keptMs === 0) {
      this.#table.remove(cursor);
      return;
    }
    const expiresMs = nowMs + keptMs;
    const exhaustedMs = exhaustedUntilMs(limitState, nowMs, expiresMs);
    const keyState = context.keyState ?? context.scratch();
    limitState.writeTo(keyState);
    if (this.#table.write(cursor, keyState, expiresMs, exhaustedMs, nowMs)) context.dropScratch();
  }

  /**
   * Publishes how many exhausted keys were evicted, if any were. Listeners may ask the same store in their turn, so this
   * comes last.
   */
  publishEvicted(): void {
    const keys = this.#table.takeEvicted();
    if (keys > 0) publish('sluice:evicted', { keys });
  }
}

/** Until one unit is admitted; 0 when one is. A key that never will be is exhausted as long as it is kept. */
function exhaustedUntilMs(limitState: LimitState, nowMs: number, expiresMs: number): number {
  if (limitState.remaining > 0) return 0;
  const untilMs = limitState.untilMs(1);
  return untilMs === 'never' ? expiresMs : Math.min(expiresMs, nowMs + untilMs);
}
