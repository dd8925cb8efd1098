import type { PolicyChange } from './policy-change.js';

/** What to say of entries that only one of two maps has, and of those that both have. */
interface Entries<V> {
  readonly removed: (name: string, old: V) => PolicyChange | readonly PolicyChange[];
  readonly added: (name: string, next: V) => PolicyChange | readonly PolicyChange[];
  readonly changed: (name: string, old: V, next: V) => readonly PolicyChange[];
}

/** Returns the changes between two maps by name: first of the old entries in their order, then of the new ones. */
export function diffMaps<V>(
  old: ReadonlyMap<string, V>,
  next: ReadonlyMap<string, V>,
  { removed, added, changed }: Entries<V>,
): PolicyChange[] {
  const changes: PolicyChange[] = [];
  for (const [name, was] of old) {
    const is = next.get(name);
    changes.push(...[is === undefined ? removed(name, was) : changed(name, was, is)].flat());
  }
  for (const [name, is] of next) if (!old.has(name)) changes.push(...[added(name, is)].flat());
  return changes;
}

/** Returns the change that something is new. `to` says what. */
export function addition(path: string, to: string, sentence: string, forgets?: string): PolicyChange {
  return { path, from: undefined, to, factor: undefined, sentence, forgets };
}

/** Returns the change that something is gone. `from` says what it was. */
export function removal(path: string, from: string, sentence: string, forgets?: string): PolicyChange {
  return { path, from, to: undefined, factor: undefined, sentence, forgets };
}
