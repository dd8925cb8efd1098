import type { Limit } from '@sluice/core';
import { checkLimit } from '@sluice/core/values';

/** A service that makes up limits without end must not fill the memory. */
const MOST_LIMITS = 1000;

/**
 * The limits that a service has named. The same limit is the same object each time, because core keeps the texts of header fields
 * by limit.
 */
export class LimitTable {
  readonly #limits = new Map<string, Limit>();

  /** @throws SluiceError `SLUICE_OPTION` if it is no limit */
  limitOf(value: unknown): Limit {
    const text = JSON.stringify(value) ?? '';
    const known = this.#limits.get(text);
    if (known) return known;
    const limit = Object.freeze(checkLimit(value, 'limit'));
    if (this.#limits.size >= MOST_LIMITS) this.#limits.clear();
    this.#limits.set(text, limit);
    return limit;
  }
}
