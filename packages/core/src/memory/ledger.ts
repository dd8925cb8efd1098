import { ALGORITHMS, type Algorithm } from '../algorithms/index.js';
import type { Standing } from '../algorithms/standing.js';
import type { Check, Target } from '../store.js';
import { Accounts } from './accounts.js';
import { Fingerprints } from './fingerprint.js';
import { KeyIndex } from './key-index.js';
import type { Question } from './question.js';
import { Retention } from './retention.js';
import { Rows } from './rows.js';
import { type Series, SeriesTable } from './series.js';

/** The accounts of at most so many keys, each limit's counted, by the fingerprints of their keys. */
export class Ledger {
  readonly #maxKeys: number;
  readonly #fingerprints = new Fingerprints();
  readonly #series = new SeriesTable(this.#fingerprints);
  readonly #rows = new Rows();
  readonly #index = new KeyIndex(this.#rows);
  readonly #accounts = new Accounts(this.#rows);
  readonly #retention: Retention;

  constructor(maxKeys: number, now: () => number) {
    this.#maxKeys = maxKeys;
    this.#retention = new Retention(this.#rows, now, (row) => this.#drop(row));
  }

  /** How many keys are remembered now. */
  get size(): number {
    return this.#retention.size;
  }

  /** Puts a check to a question: finds its key, and reads how it stands. */
  read(question: Question, check: Check, nowMs: number): void {
    const series = this.#seriesOf(check, question.series);
    question.ask(check, series);
    this.#fingerprints.read(series.start, check.key);
    const { high, low } = this.#fingerprints;
    const row = this.#index.find(high, low);
    question.high = high;
    question.low = low;
    question.row = row;
    const account = row === 0 ? undefined : this.#accounts.read(row, series.kernel.layout, question.scratch(nowMs));
    question.read(account, nowMs);
  }

  /** Whether the question's key, which may have been forgotten since it was read, is in the ledger. */
  knows({ row, high, low }: Question): boolean {
    return this.#rows.isStillFor(row, high, low);
  }

  /** Whether so many more keys have a place, once enough of the expired are forgotten. */
  hasRoomFor(newKeys: () => number, nowMs: number): boolean {
    do {
      // Dropping an expired key may take the place of one that was asked about.
      if (this.size + newKeys() <= this.#maxKeys) return true;
    } while (this.#retention.dropExpired(nowMs));
    return false;
  }

  /** Keeps how the question's key stands now. Returns how many exhausted keys were forgotten to make room for it. */
  write(question: Question, nowMs: number): number {
    const { standing } = question;
    const keptMs = standing.keptMs;
    // Making room for another check of this ask may have dropped the row meanwhile.
    const known = this.knows(question) ? question.row : 0;
    if (keptMs === 0) {
      if (known !== 0) this.#retention.remove(known);
      return 0;
    }
    const forgotten = known === 0 && this.size >= this.#maxKeys && this.#retention.evict(nowMs) ? 1 : 0;
    const row = known === 0 ? this.#rows.take(question.high, question.low) : known;
    this.#keep(row, question, nowMs);
    const isMoved = this.#rows.setTimes(row, nowMs + keptMs, exhaustedUntilMs(standing, nowMs, nowMs + keptMs));
    if (known === 0) {
      this.#index.add(row);
      this.#retention.add(row, nowMs);
    } else if (isMoved) {
      this.#retention.moved(row, nowMs);
    }
    return forgotten;
  }

  /** Forgets a key under every algorithm. */
  forget({ policy, name, key }: Target): void {
    for (const algorithm in ALGORITHMS) {
      this.#fingerprints.read(this.#series.of(policy, name, algorithm as Algorithm).start, key);
      const row = this.#index.find(this.#fingerprints.high, this.#fingerprints.low);
      if (row !== 0) this.#retention.remove(row);
    }
  }

  close(): void {
    this.#retention.stop();
    this.#index.clear();
    this.#accounts.clear();
    this.#rows.clear();
  }

  #keep(row: number, question: Question, nowMs: number): void {
    const account = question.account ?? question.scratch(nowMs);
    question.standing.writeTo(account);
    const isKept = this.#accounts.write(row, (question.series as Series).kernel.layout, account);
    if (isKept) question.dropScratch();
  }

  /** The series of a check: mostly that of the check before it in this place of an ask. */
  #seriesOf({ policy, name, limit }: Check, last: Series | undefined): Series {
    const algorithm = limit.algorithm as Algorithm;
    if (last && last.name === name && last.policy === policy && last.algorithm === algorithm) return last;
    return this.#series.of(policy, name, algorithm);
  }

  #drop(row: number): void {
    this.#index.delete(row);
    this.#accounts.release(row);
    this.#rows.release(row);
  }
}

/** Until one unit is admitted; 0 when one is. A key that never will be is exhausted as long as it is kept. */
function exhaustedUntilMs(standing: Standing, nowMs: number, expiresMs: number): number {
  if (standing.remaining > 0) return 0;
  const untilMs = standing.untilMs(1);
  return untilMs === 'never' ? expiresMs : Math.min(expiresMs, nowMs + untilMs);
}
