import { createHash } from 'node:crypto';
import type { Source } from '@sluice/config';

/** A source in this process, whose text a test sets. It tells of no changes: call `reload`. */
export class TextSource implements Source {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  async read() {
    const { text } = this;
    return { text, revision: createHash('sha256').update(text).digest('hex').slice(0, 12), origin: 'test.yaml' };
  }

  async *changes(signal: AbortSignal): AsyncIterable<void> {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
}
