// Why it is so: core/docs/why/budgets-of-models.md

import type { LlmCall } from '../call/llm-call.js';

/** Expected before anything is known: a long paragraph or a short page. */
const FIRST_GUESS = 1024;

/** So many answers make a distribution that the 95th percentile can be read from. */
const FEWEST = 20;

/** After so many answers, older ones begin to count half. */
const MOST = 1024;

/** Names of models come from callers, so their number needs a maximum. */
const MOST_MODELS = 256;

const PERCENTILE = 0.95;

/** Each class is an eighth of an octave wide, so a percentile is at most 9 % too high. */
const CLASSES_PER_OCTAVE = 8;

/** Learns how much output the answers of each model have. It takes about 2 KB per model, for at most 256 models. */
export class ExpectedOutput {
  readonly #models = new Map<string, OutputSizes>();

  /** Returns the output tokens that 95 of 100 answers do not exceed. */
  of(model: string): number {
    return this.#models.get(model)?.percentile() ?? FIRST_GUESS;
  }

  /**
   * Learns from an answer. Answers under a cap of the caller teach nothing about those without one.
   *
   * @param output - the tokens of all choices
   */
  learn({ model, choices, outputCap }: LlmCall, output: number): void {
    if (outputCap !== undefined) return;
    const known = this.#models.get(model) ?? new OutputSizes();
    known.add(Math.ceil(output / choices));
    // The model that was used last is the last to go.
    this.#models.delete(model);
    this.#models.set(model, known);
    const [oldest] = this.#models.keys();
    if (this.#models.size > MOST_MODELS && oldest !== undefined) this.#models.delete(oldest);
  }
}

/** How many answers had which size, by classes of size. */
class OutputSizes {
  #counts: number[] = [];
  #total = 0;

  add(tokens: number): void {
    if (this.#total >= MOST) this.#halve();
    const sizeClass = Math.ceil(Math.log2(tokens + 1) * CLASSES_PER_OCTAVE);
    while (this.#counts.length <= sizeClass) this.#counts.push(0);
    this.#counts[sizeClass] = (this.#counts[sizeClass] as number) + 1;
    this.#total += 1;
  }

  /** Undefined as long as too little is known. */
  percentile(): number | undefined {
    if (this.#total < FEWEST) return undefined;
    let rest = this.#total * PERCENTILE;
    const sizeClass = this.#counts.findIndex((count) => {
      rest -= count;
      return rest <= 0;
    });
    return Math.ceil(2 ** (sizeClass / CLASSES_PER_OCTAVE)) - 1;
  }

  #halve(): void {
    this.#counts = this.#counts.map((count) => count / 2);
    this.#total /= 2;
  }
}
