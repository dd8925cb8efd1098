import type { Readiness } from '../readiness.js';

/** Knows whether this instance is ready, and who wants to hear of a change. */
export class Health implements Readiness {
  readonly #troubles: () => readonly string[];
  readonly #listeners = new Set<() => void>();
  #state: 'starting' | 'ready' | 'draining' = 'starting';

  /** @param troubles - says why decisions are not those of the store now */
  constructor(troubles: () => readonly string[]) {
    this.#troubles = troubles;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  get state(): 'starting' | 'ready' | 'draining' {
    return this.#state;
  }

  get degraded(): readonly string[] {
    return this.#troubles();
  }

  onChange(notify: () => void): () => void {
    this.#listeners.add(notify);
    return () => void this.#listeners.delete(notify);
  }

  /** The policies are loaded, and all ports listen. A draining instance stays so. */
  begin(): void {
    if (this.#state === 'starting') this.#become('ready');
  }

  /** The instance is going to end, and never gets ready again. */
  drain(): void {
    if (this.#state !== 'draining') this.#become('draining');
  }

  #become(state: 'ready' | 'draining'): void {
    const wasReady = this.isReady;
    this.#state = state;
    if (this.isReady !== wasReady) for (const notify of this.#listeners) notify();
  }
}
