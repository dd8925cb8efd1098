import type { Check } from '../store.js';

interface Entry<T> {
  readonly checks: readonly Check[];
  readonly value: T;
}

/** Something for each kind of request: for the same checks, whatever their numbers. */
export class ByKind<T> {
  /** By the key of the first check, as each request brings it: to put names together takes longer than to compare. */
  readonly #byKey = new Map<string, Entry<T>[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(checks: readonly Check[]): T | undefined {
    const entries = this.#byKey.get(keyOf(checks));
    if (entries === undefined) return undefined;
    for (let i = 0; i < entries.length; i += 1) {
      const entry = entries[i] as Entry<T>;
      if (isSameKind(entry.checks, checks)) return entry.value;
    }
    return undefined;
  }

  set(checks: readonly Check[], value: T): T {
    this.delete(checks);
    const key = keyOf(checks);
    const entries = this.#byKey.get(key);
    if (entries) entries.push({ checks, value });
    else this.#byKey.set(key, [{ checks, value }]);
    this.#size += 1;
    return value;
  }

  delete(checks: readonly Check[]): void {
    const key = keyOf(checks);
    const entries = this.#byKey.get(key) ?? [];
    const others = entries.filter((entry) => !isSameKind(entry.checks, checks));
    this.#size -= entries.length - others.length;
    if (others.length > 0) this.#byKey.set(key, others);
    else this.#byKey.delete(key);
  }

  clear(): void {
    this.#byKey.clear();
    this.#size = 0;
  }

  values(): T[] {
    return [...this.#byKey.values()].flatMap((entries) => entries.map(({ value }) => value));
  }
}

function keyOf(checks: readonly Check[]): string {
  return checks[0]?.key ?? '';
}

function isSameKind(one: readonly Check[], other: readonly Check[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) if (!isSame(one[i] as Check, other[i] as Check)) return false;
  return true;
}

function isSame(one: Check, other: Check): boolean {
  return (
    one.key === other.key &&
    one.name === other.name &&
    one.policy === other.policy &&
    one.limit.algorithm === other.limit.algorithm
  );
}
