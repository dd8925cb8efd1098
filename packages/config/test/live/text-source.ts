import { createHash } from 'node:crypto';
import type { Source } from '@sluice/config';

/** A source in this process, whose text a test sets. It tells of changes only if it is told to. */
export class TextSource implements Source {
  text: string;
  /** If set, reads fail with it. */
  error: Error | undefined;
  reads = 0;
  readonly #rings: (() => void)[] = [];

  constructor(text: string) {
    this.text = text;
  }

  async read() {
    this.reads += 1;
    if (this.error) throw this.error;
    const { text } = this;
    return { text, revision: createHash('sha256').update(text).digest('hex').slice(0, 12), origin: 'test.yaml' };
  }

  async *changes(signal: AbortSignal): AsyncIterable<void> {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#rings.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      if (!signal.aborted) yield;
    }
  }

  /** Tells that the text may have changed. */
  ring(): void {
    for (const ring of this.#rings.splice(0)) ring();
  }
}
