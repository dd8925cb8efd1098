import { DEFINITIONS, definitionOf } from '../../../algorithms/definitions.js';
import type { KeyState, LimitState } from '../../../algorithms/limit-state.js';
import { SluiceError } from '../../../values/error.js';
import type { Check, Target } from '../../store.js';
import type { CheckContext } from './check-context.js';
import { Fingerprints } from './fingerprint.js';
import { KeyIndex } from './key-index.js';
import { type KeyNamespace, KeyNamespaces } from './key-namespace.js';
import { Retention } from './retention.js';
import { isStillFor, Rows, setTimes } from './rows.js';
import type { Page } from './slab.js';
import { StateCodec } from './state-codec.js';

/** The accounts of at most so many keys, each limit's counted, by the fingerprints of their keys. */
export class KeyTable {
  readonly #maxKeys: number;
  readonly #fingerprints = new Fingerprints();
  readonly #series = new KeyNamespaces(this.#fingerprints);
  readonly #rows = new Rows();
  readonly #index = new KeyIndex(this.#rows);
  readonly #codec = new StateCodec(this.#rows);
  readonly #retention: Retention;
  #isClosed = false;

  constructor(maxKeys: number, now: () => number) {
    this.#maxKeys = maxKeys;
    this.#retention = new Retention(this.#rows, now, (row) => this.#drop(row));
  }

  /** How many keys are remembered now. */
  get size(): number {
    return this.#retention.size;
  }

  /** Finds the key of a question, and reads how it stands. */
  read(question: CheckContext): void {
    question.read(this.find(question));
  }

  /** Finds the key of a question. Gives what is kept of it: `question.scratch()`, or the row's own object. */
  find(question: CheckContext): KeyState | undefined {
    if (question.isOfNewKey) this.#identify(question);
    else if (!this.knows(question)) this.#findRow(question);
    const { page, row, series } = question;
    return page === undefined ? undefined : this.#codec.read(page, row, series.kernel.layout, question.scratch());
  }

  #identify(question: CheckContext): void {
    this.#fingerprints.read(question.series.start, question.key);
    question.high = this.#fingerprints.high;
    question.low = this.#fingerprints.low;
    question.isOfNewKey = false;
    this.#findRow(question);
  }

  #findRow(question: CheckContext): void {
    const row = this.#index.find(question.high, question.low);
    question.row = row;
    question.page = row === 0 ? undefined : this.#rows.page(row);
  }

  /** Whether the question's key, which may have been forgotten since it was read, is in the ledger. */
  knows({ page, row, high, low }: CheckContext): boolean {
    return page !== undefined && isStillFor(page, row, high, low);
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
  write(question: CheckContext): number {
    const { limitState, nowMs } = question;
    const { keptMs } = limitState;
    // Making room for another check of this ask may have dropped the row meanwhile.
    const isKnown = this.knows(question);
    if (keptMs === 0) {
      if (isKnown) this.#retention.remove(question.row);
      return 0;
    }
    const expiresMs = nowMs + keptMs;
    const exhaustedMs = exhaustedUntilMs(limitState, nowMs, expiresMs);
    if (!isKnown) return this.#enter(question, expiresMs, exhaustedMs);
    if (this.#keep(question, expiresMs, exhaustedMs)) this.#retention.moved(question.row, nowMs);
    return 0;
  }

  /** Keeps what was found of a question's key, which is not exhausted, until then. */
  update(question: CheckContext, keyState: KeyState, expiresMs: number): void {
    if (this.#put(question, keyState, expiresMs, 0)) this.#retention.moved(question.row, question.nowMs);
  }

  #enter(question: CheckContext, expiresMs: number, exhaustedMs: number): number {
    const { nowMs } = question;
    const forgotten = this.size >= this.#maxKeys && this.#retention.evict(nowMs) ? 1 : 0;
    const row = this.#rows.take(question.high, question.low);
    question.row = row;
    question.page = this.#rows.page(row);
    this.#keep(question, expiresMs, exhaustedMs);
    this.#index.add(row);
    this.#retention.add(row, nowMs);
    return forgotten;
  }

  /** Forgets a key under every algorithm. Returns under how many of them anything was known that still mattered. */
  forget({ policy, name, key }: Target, nowMs: number): number {
    let forgotten = 0;
    for (const { algorithm } of DEFINITIONS) {
      this.#fingerprints.read(this.#series.of(policy, name, algorithm).start, key);
      const row = this.#index.find(this.#fingerprints.high, this.#fingerprints.low);
      if (row === 0) continue;
      if (this.#rows.expiresMs(row) > nowMs) forgotten += 1;
      this.#retention.remove(row);
    }
    return forgotten;
  }

  /** @throws SluiceError `SLUICE_CLOSED` once it was closed */
  checkOpen(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }

  close(): void {
    this.#isClosed = true;
    this.#retention.stop();
    this.#index.clear();
    this.#codec.clear();
    this.#rows.clear();
  }

  /** Writes a question's row. Returns whether its times have changed. */
  #keep(question: CheckContext, expiresMs: number, exhaustedMs: number): boolean {
    const keyState = question.keyState ?? question.scratch();
    question.limitState.writeTo(keyState);
    return this.#put(question, keyState, expiresMs, exhaustedMs);
  }

  #put(question: CheckContext, keyState: KeyState, expiresMs: number, exhaustedMs: number): boolean {
    const page = question.page as Page;
    const isKept = this.#codec.write(page, question.row, question.series.kernel.layout, keyState);
    if (isKept) question.dropScratch();
    return setTimes(page, question.row, expiresMs, exhaustedMs);
  }

  /** The series of a check: mostly that of the check before it in this place of an ask. */
  seriesOf({ policy, name, limit }: Pick<Check, 'policy' | 'name' | 'limit'>, last?: KeyNamespace): KeyNamespace {
    if (last && last.name === name && last.policy === policy && last.algorithm === limit.algorithm) return last;
    return this.#series.of(policy, name, definitionOf(limit).algorithm);
  }

  #drop(row: number): void {
    this.#index.delete(row);
    this.#codec.release(row);
    this.#rows.release(row);
  }
}

/** Until one unit is admitted; 0 when one is. A key that never will be is exhausted as long as it is kept. */
function exhaustedUntilMs(limitState: LimitState, nowMs: number, expiresMs: number): number {
  if (limitState.remaining > 0) return 0;
  const untilMs = limitState.untilMs(1);
  return untilMs === 'never' ? expiresMs : Math.min(expiresMs, nowMs + untilMs);
}
