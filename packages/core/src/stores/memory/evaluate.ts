import { checkSlotId } from '../check-evaluation.js';
import type { Ask } from '../store.js';
import type { CheckContext } from './table/check-context.js';
import type { KeyTable } from './table/key-table.js';

/** What of an Ask holds for all of its questions. */
export type Terms = Pick<Ask, 'id' | 'peek' | 'atLeast'>;

/** Answers questions out of a ledger, and writes there what the answers spend. */
export class Evaluator {
  readonly #table: KeyTable;
  readonly #refusesWhenFull: boolean;

  constructor(table: KeyTable, whenFull: 'evict' | 'refuse') {
    this.#table = table;
    this.#refusesWhenFull = whenFull === 'refuse';
  }

  /** Finds out whether a question's limit admits it, beside those that stand before its place among `all`. */
  ask(question: CheckContext, terms: Terms, all: readonly CheckContext[], place: number): void {
    checkSlotId(question.limit, question.series.name, terms);
    this.#table.read(question);
    this.judge(question, terms.atLeast ?? question.cost, terms.id, all, place);
  }

  /** The same about so many units of a question whose key was read. */
  judge(
    question: CheckContext,
    units: number,
    id: string | undefined,
    all: readonly CheckContext[],
    place: number,
  ): void {
    question.hasNoRoom = !this.hasRoomFor(question, all, place);
    if (question.hasNoRoom) question.deny();
    else question.judge(units, id);
  }

  /** Whether the key of a question, if it is new, may be kept beside those that stand before its place among `all`. */
  hasRoomFor({ row, nowMs }: CheckContext, all: readonly CheckContext[], place: number): boolean {
    return row !== 0 || !this.#refusesWhenFull || this.#hasRoomAt(place, all, nowMs);
  }

  /** Whether the new key of a question has a place when those of the questions before it have theirs. */
  #hasRoomAt(place: number, all: readonly CheckContext[], nowMs: number): boolean {
    const before = all.slice(0, place);
    return this.#table.hasRoomFor(() => before.filter((question) => !this.#table.knows(question)).length + 1, nowMs);
  }

  /**
   * Writes what an answer spends or a refusal leaves behind: so many units. Returns how many exhausted keys were
   * forgotten for it.
   */
  record(question: CheckContext, units: number, maySpend: boolean, id?: string): number {
    if (question.hasNoRoom) return 0;
    return question.record(units, maySpend, id) ? this.#table.write(question) : 0;
  }
}
