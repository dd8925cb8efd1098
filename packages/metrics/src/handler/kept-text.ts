import type { Clock } from '@sluice/core';

/** What can be shown: a registry, or the workers of a cluster together. */
export interface TextSource {
  /** The content type of the text. */
  readonly contentType: string;
  /** Resolves with the text of all metrics now. */
  metrics(): Promise<string>;
}

/** So long a text is shown again, so that many who ask at once cost no more than one. */
const KEPT_MS = 1000;

/** The text of a source, made at most once a second. */
export class KeptText {
  readonly #source: TextSource;
  readonly #clock: Clock;
  #text: Promise<string> | undefined;
  #madeAtMs = 0;

  constructor(source: TextSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Returns the text of the last second, or a new one. A failure is not kept. */
  async read(): Promise<string> {
    const nowMs = this.#clock.now();
    const ageMs = nowMs - this.#madeAtMs;
    // A clock that somebody sets back would make the text very young.
    if (!this.#text || ageMs >= KEPT_MS || ageMs < 0) {
      this.#text = this.#source.metrics();
      this.#madeAtMs = nowMs;
    }
    const text = this.#text;
    try {
      return await text;
    } catch (error) {
      if (this.#text === text) this.#text = undefined;
      throw error;
    }
  }
}
