import type { Source } from '@sluice/config';
import type { ManualClock } from '@sluice/core/testing';

/** Reads a source whenever it says that something changed, as live policies do, on a clock that the test moves. */
export class SourceWatch {
  readonly texts: string[] = [];
  readonly errors: string[] = [];
  readonly #clock: ManualClock;
  readonly #end = new AbortController();
  readonly #loop: Promise<void>;

  constructor(source: Source, clock: ManualClock) {
    this.#clock = clock;
    this.#loop = this.#watch(source);
  }

  /** Lets time pass in steps, each of which the source has to be ready for. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) await this.#step();
  }

  async until(text: string): Promise<void> {
    for (let steps = 0; this.texts.at(-1) !== text; steps += 1) {
      if (steps > 400) throw new Error(`not read: ${text}, but ${[...this.texts, ...this.errors].join(', ')}`);
      await this.#step();
    }
  }

  async untilError(message: RegExp): Promise<void> {
    for (let steps = 0; !message.test(this.errors.at(-1) ?? ''); steps += 1) {
      if (steps > 400) throw new Error(`no such error, but ${this.errors.join(', ')}`);
      await this.#step();
    }
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#loop;
  }

  async #step(): Promise<void> {
    await this.#clock.untilSleeping(1);
    this.#clock.advance(50);
  }

  async #watch(source: Source): Promise<void> {
    const { signal } = this.#end;
    await this.#read(source, signal);
    for await (const _ of source.changes(signal)) await this.#read(source, signal);
  }

  async #read(source: Source, signal: AbortSignal): Promise<void> {
    try {
      const { text } = await source.read(signal);
      if (text !== this.texts.at(-1)) this.texts.push(text);
    } catch (error) {
      if (!signal.aborted) this.errors.push((error as Error).message);
    }
  }
}
