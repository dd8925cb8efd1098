import type { Verdict } from '../../values/decision.js';
import type { Check, Reply } from '../store.js';
import { laterVerdict } from './derived-reply.js';
import { haveSameNumbers } from './request-kind.js';

/** Units that were taken from a store in advance, on every check of one kind of request, to be spent here. */
export class Slice {
  /** Those by which it was asked for: its units are given back by the numbers by which they were taken. */
  readonly checks: readonly Check[];
  /** How many were taken. */
  readonly units: number;
  readonly #reply: Reply;
  readonly #askedMs: number;
  readonly #endMs: number;
  #left: number;

  /** Of what the reply took on these checks: asked for at `askedMs`, to be spent before `endMs`. */
  constructor(checks: readonly Check[], reply: Reply, askedMs: number, endMs: number) {
    this.checks = checks;
    this.units = reply.taken ?? 0;
    this.#reply = reply;
    this.#left = this.units;
    this.#askedMs = askedMs;
    this.#endMs = endMs;
  }

  /** The store's time of the charge. */
  get atMs(): number {
    return this.#reply.atMs;
  }

  /** Units that are not spent yet. */
  get left(): number {
    return this.#left;
  }

  /** What the store had left, when it was asked, for those who ask next. */
  get remainingThere(): number {
    return Math.min(...this.#reply.verdicts.map(({ remaining }) => remaining));
  }

  isOver(nowMs: number): boolean {
    // A clock that went back says nothing about how much time has passed.
    return nowMs >= this.#endMs || nowMs < this.#askedMs;
  }

  has(cost: number, nowMs: number): boolean {
    return cost <= this.#left && !this.isOver(nowMs);
  }

  /** Whether it was taken by the same numbers: what a limit allowed before it was changed is not spent after. */
  isBy(checks: readonly Check[]): boolean {
    return haveSameNumbers(checks, this.checks);
  }

  /** Spends, and answers as the store would, as far as its last answer tells. */
  spend(checks: readonly Check[], cost: number, nowMs: number): Reply {
    this.#left -= cost;
    const agoMs = nowMs - this.#askedMs;
    const { atMs, verdicts } = this.#reply;
    const own = new Array<Verdict>(checks.length);
    for (let i = 0; i < checks.length; i += 1) {
      const there = verdicts[i] as Verdict;
      own[i] = laterVerdict(checks[i] as Check, there, 0 - this.#left, true, agoMs);
    }
    return { atMs, allowed: true, verdicts: own };
  }
}
