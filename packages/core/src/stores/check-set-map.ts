import { getOrCreate } from '../values/get-or-create.js';
import type { LimitCheck, Target } from './store.js';

interface Entry<T> {
  readonly checks: readonly LimitCheck[];
  /** The keys of its path. */
  readonly keys: readonly string[];
  value: T;
}

/** The entries whose path ends here, and the branches with one more key. */
interface Branch<T> {
  /**
   * There are several entries only if policies, names or algorithms differ: as many as the program has. The number of
   * users does not matter.
   */
  entries: Entry<T>[];
  branches: Map<string, Branch<T>> | undefined;
}

/**
 * Maps the checks of a request to a value. Two requests have the same entry if their checks have the same policies,
 * names, keys and algorithms in the same order. The numbers of the limits and the costs do not matter.
 *
 * The index is a tree of all keys, in the order of the checks. A key that all requests share, such as that of a limit
 * for everyone, therefore does not slow down a lookup, whatever its position.
 */
export class CheckSetMap<T> {
  readonly #root: Branch<T> = newBranch();
  /** For each key, the entries that have this key and others. An entry with a single key is found through the tree. */
  readonly #byKey = new Map<string, Set<Entry<T>>>();
  readonly #most: number;
  #size = 0;

  /** @param most - how many entries `of` may make */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  get(checks: readonly LimitCheck[]): T | undefined {
    let branch: Branch<T> | undefined = this.#root;
    for (let i = 0; i < checks.length; i += 1) {
      if (isRepeated(checks, i)) continue;
      branch = branch.branches?.get((checks[i] as LimitCheck).key);
      if (branch === undefined) return undefined;
    }
    return entryIn(branch, checks)?.value;
  }

  /** Returns the value, which is made if there is none; undefined if there are too many entries for another one. */
  of(checks: readonly LimitCheck[], make: () => T): T | undefined {
    return this.get(checks) ?? (this.#size < this.#most ? this.set(checks, make()) : undefined);
  }

  set(checks: readonly LimitCheck[], value: T): T {
    const keys = keysOf(checks);
    let branch = this.#root;
    for (const key of keys) {
      branch.branches ??= new Map();
      branch = getOrCreate(branch.branches, key, newBranch<T>);
    }
    const known = entryIn(branch, checks);
    if (known) {
      known.value = value;
      return value;
    }
    const entry = { checks, keys, value };
    branch.entries.push(entry);
    if (keys.length > 1) for (const key of keys) getOrCreate(this.#byKey, key, newEntries<T>).add(entry);
    this.#size += 1;
    return value;
  }

  delete(checks: readonly LimitCheck[]): void {
    const entry = this.#remove(this.#root, checks, keysOf(checks), 0);
    if (!entry) return;
    this.#size -= 1;
    if (entry.keys.length === 1) return;
    for (const key of entry.keys) {
      const entries = this.#byKey.get(key);
      entries?.delete(entry);
      if (entries?.size === 0) this.#byKey.delete(key);
    }
  }

  clear(): void {
    this.#root.entries = [];
    this.#root.branches = undefined;
    this.#byKey.clear();
    this.#size = 0;
  }

  values(): T[] {
    const values: T[] = [];
    collect(this.#root, values);
    return values;
  }

  /** Returns the values of all requests that have one of these targets among their checks. */
  concernedBy(targets: readonly Target[]): T[] {
    const concerned = new Set<T>();
    for (const target of targets) {
      const alone = this.#root.branches?.get(target.key)?.entries ?? [];
      for (const entries of [alone, this.#byKey.get(target.key) ?? []]) {
        for (const { checks, value } of entries) if (concerns(targets, checks)) concerned.add(value);
      }
    }
    return [...concerned];
  }

  /** Removes the entry, and the branches that become empty. */
  #remove(
    branch: Branch<T>,
    checks: readonly LimitCheck[],
    keys: readonly string[],
    depth: number,
  ): Entry<T> | undefined {
    const key = keys[depth];
    if (key === undefined) {
      const entry = entryIn(branch, checks);
      if (entry) branch.entries.splice(branch.entries.indexOf(entry), 1);
      return entry;
    }
    const next = branch.branches?.get(key);
    const entry = next && this.#remove(next, checks, keys, depth + 1);
    if (entry && isBare(next)) branch.branches?.delete(key);
    return entry;
  }
}

/** Whether a reset of these targets affects a request with these checks. */
export function concerns(targets: readonly Target[], checks: readonly LimitCheck[]): boolean {
  return checks.some((check) => targets.some((target) => isTarget(check, target)));
}

/** Whether two checks use the same state. The limits' numbers and the costs do not matter. */
export function isSameState(one: LimitCheck, other: LimitCheck): boolean {
  return isTarget(one, other) && one.limit.algorithm === other.limit.algorithm;
}

function isTarget(check: LimitCheck, target: Target): boolean {
  return check.key === target.key && check.name === target.name && check.policy === target.policy;
}

function newBranch<T>(): Branch<T> {
  return { entries: [], branches: undefined };
}

function isBare<T>({ entries, branches }: Branch<T>): boolean {
  return entries.length === 0 && (branches === undefined || branches.size === 0);
}

function entryIn<T>({ entries }: Branch<T>, checks: readonly LimitCheck[]): Entry<T> | undefined {
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] as Entry<T>;
    if (haveSameStates(entry.checks, checks)) return entry;
  }
  return undefined;
}

function haveSameStates(some: readonly LimitCheck[], others: readonly LimitCheck[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i += 1)
    if (!isSameState(some[i] as LimitCheck, others[i] as LimitCheck)) return false;
  return true;
}

/** Several limits of one subject share a branch. */
function isRepeated(checks: readonly LimitCheck[], i: number): boolean {
  return i > 0 && (checks[i] as LimitCheck).key === (checks[i - 1] as LimitCheck).key;
}

function keysOf(checks: readonly LimitCheck[]): readonly string[] {
  const keys: string[] = [];
  for (let i = 0; i < checks.length; i += 1) if (!isRepeated(checks, i)) keys.push((checks[i] as LimitCheck).key);
  return keys;
}

function newEntries<T>(): Set<Entry<T>> {
  return new Set();
}

function collect<T>({ entries, branches }: Branch<T>, values: T[]): void {
  for (const { value } of entries) values.push(value);
  if (branches) for (const branch of branches.values()) collect(branch, values);
}
