import type { Key } from '@sluice/core';

interface TopKey {
  readonly text: string;
  readonly key: Key;
  refused: number;
}

/** The keys with most refused requests. It is exact: the count of a key only rises, and each time it does the key is told. */
export class TopKeys {
  readonly #most: number;
  readonly #keys = new Map<string, TopKey>();
  /** No key outside has a larger count, once there are enough keys. */
  #least = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Tells that a request of a key was refused, and how many of the key were by now. */
  refused(text: string, key: Key, count: number): void {
    const known = this.#keys.get(text);
    if (known) {
      known.refused = count;
      return;
    }
    if (this.#keys.size < this.#most) {
      this.#keys.set(text, { text, key, refused: count });
      return;
    }
    if (count <= this.#least) return;
    const least = leastOf(this.#keys.values());
    this.#least = least.refused;
    if (count <= least.refused) return;
    this.#keys.delete(least.text);
    this.#keys.set(text, { text, key, refused: count });
  }

  /** The keys, the one with most refused requests first. */
  get keys(): readonly TopKey[] {
    return [...this.#keys.values()].sort((a, b) => b.refused - a.refused || (a.text < b.text ? -1 : 1));
  }
}

function leastOf(keys: Iterable<TopKey>): TopKey {
  let least: TopKey | undefined;
  for (const key of keys) if (!least || key.refused < least.refused) least = key;
  return least as TopKey;
}
