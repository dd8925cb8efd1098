import { SluiceError } from '../../values/error.js';
import type { Ask } from '../store.js';
import type { Question } from './table/check-context.js';
import type { Ledger } from './table/key-table.js';

/** What of an Ask holds for all of its questions. */
export type Terms = Pick<Ask, 'id' | 'look' | 'atLeast'>;

/** Answers questions out of a ledger, and writes there what the answers spend. */
export class Clerk {
  readonly #ledger: Ledger;
  readonly #refusesWhenFull: boolean;

  constructor(ledger: Ledger, whenFull: 'evict' | 'refuse') {
    this.#ledger = ledger;
    this.#refusesWhenFull = whenFull === 'refuse';
  }

  /** Finds out whether a question's limit admits it, beside those that stand before its place among `all`. */
  ask(question: Question, { id, look, atLeast }: Terms, all: readonly Question[], place: number): void {
    if (question.limit.algorithm === 'concurrency' && !id && !look) {
      const { name } = question.series;
      throw new SluiceError('SLUICE_UNSUPPORTED', `the concurrency limit ${name} needs an id that holds the slot`);
    }
    this.#ledger.read(question);
    this.judge(question, atLeast ?? question.cost, id, all, place);
  }

  /** The same about so many units of a question whose key was read. */
  judge(question: Question, units: number, id: string | undefined, all: readonly Question[], place: number): void {
    const { standing } = question;
    question.hasNoRoom = !this.hasRoomFor(question, all, place);
    question.allowed = !question.hasNoRoom && standing.admits(units, id);
    question.delayMs = question.allowed ? standing.delayMs : 0;
  }

  /** Whether the key of a question, if it is new, may be kept beside those that stand before its place among `all`. */
  hasRoomFor({ row, nowMs }: Question, all: readonly Question[], place: number): boolean {
    return row !== 0 || !this.#refusesWhenFull || this.#hasRoomAt(place, all, nowMs);
  }

  /** Whether the new key of a question has a place when those of the questions before it have theirs. */
  #hasRoomAt(place: number, all: readonly Question[], nowMs: number): boolean {
    const before = all.slice(0, place);
    return this.#ledger.hasRoomFor(() => before.filter((question) => !this.#ledger.knows(question)).length + 1, nowMs);
  }

  /**
   * Writes what an answer spends or a refusal leaves behind: so many units. Returns how many exhausted keys were
   * forgotten for it.
   */
  record(question: Question, units: number, maySpend: boolean, id?: string): number {
    const { standing, allowed, hasNoRoom } = question;
    if (hasNoRoom) return 0;
    const isChanged = maySpend && allowed ? standing.spend(units, id) : standing.refuse(units, !maySpend);
    return isChanged ? this.#ledger.write(question) : 0;
  }
}
