import type { Tape } from '../tape/tape.js';
import { usualChoice, usualServer } from './shrinking/choices.js';
import { closeGap, dropOption, simplifyNumber } from './shrinking/numbers.js';
import {
  calm,
  dropLimit,
  dropPolicy,
  dropProcess,
  dropSteps,
  dropVariant,
  endEarly,
  simplifyStore,
} from './shrinking/parts.js';
import type { Pass } from './shrinking/pass.js';
import { dropPlan, dropPlanLimit } from './shrinking/plans.js';
import { renumbered, tidied } from './shrinking/tidy.js';

/** Whether a tape still fails in the way that matters. If it throws, the tape is no tape that matters. */
type Fails = (tape: Tape) => Promise<boolean>;

/**
 * Returns a tape that fails as this one does, and from which nothing can be left out, as far as the budget allows. The same tape and
 * predicate give the same result, if the budget is large enough.
 *
 * It is called for each failure of a campaign: what is left says which parts of the library a defect needs.
 *
 * @param budget - `ms`: how long it may take; `isEnough`: whether a tape that fails need not become smaller
 */
export async function shrink(tape: Tape, fails: Fails, budget: ShrinkBudget): Promise<Tape> {
  const shrinking = new Shrinking(tape, fails, performance.now() + budget.ms, budget.isEnough);
  await shrinking.run();
  return shrinking.best;
}

interface ShrinkBudget {
  readonly ms: number;
  readonly isEnough?: (tape: Tape) => boolean;
}

/** Parts that most failures do not need. They come first, because a smaller tape is played faster. */
const COARSE: readonly Pass[] = [
  dropPolicy,
  dropPlan,
  dropProcess,
  dropLimit,
  dropPlanLimit,
  dropVariant,
  calm,
  simplifyStore,
  usualServer,
  endEarly,
];

const FINE: readonly Pass[] = [dropOption, usualChoice, closeGap, simplifyNumber, calm, endEarly];

class Shrinking {
  best: Tape;
  readonly #fails: Fails;
  readonly #untilMs: number;
  /** What was tried without success. */
  readonly #tried: Set<string>;

  readonly #isEnough: (tape: Tape) => boolean;
  #hasEnough = false;

  constructor(tape: Tape, fails: Fails, untilMs: number, isEnough: (tape: Tape) => boolean = () => false) {
    this.best = tape;
    this.#fails = fails;
    this.#untilMs = untilMs;
    this.#isEnough = isEnough;
    this.#tried = new Set([JSON.stringify(tape)]);
  }

  get #isOver(): boolean {
    return this.#hasEnough || performance.now() > this.#untilMs;
  }

  async run(): Promise<void> {
    let before: Tape | undefined;
    while (before !== this.best && !this.#isOver) {
      before = this.best;
      await this.#dropSteps();
      for (const pass of COARSE) await this.#try(pass);
      await this.#dropSteps();
      for (const pass of FINE) await this.#try(pass);
    }
    await this.#accepts(renumbered(this.best));
  }

  async #dropSteps(): Promise<void> {
    for (let size = Math.ceil(this.best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      await this.#try(dropSteps(size));
    }
  }

  /** Tries a pass at all its places. Where it succeeds, it is tried again. */
  async #try(pass: Pass): Promise<void> {
    for (let at = 0; ; ) {
      const candidates = pass(this.best, at);
      if (candidates === undefined) return;
      let hasSucceeded = false;
      for (const candidate of candidates) {
        if (this.#isOver) return;
        hasSucceeded = await this.#accepts(candidate);
        if (hasSucceeded) break;
      }
      if (!hasSucceeded) at += 1;
    }
  }

  async #accepts(candidate: Tape): Promise<boolean> {
    const tape = tidied(candidate);
    const text = JSON.stringify(tape);
    if (this.#tried.has(text)) return false;
    this.#tried.add(text);
    const isFailure = await this.#fails(tape).catch(() => false);
    if (isFailure) {
      this.best = tape;
      this.#hasEnough = this.#isEnough(tape);
    }
    return isFailure;
  }
}
