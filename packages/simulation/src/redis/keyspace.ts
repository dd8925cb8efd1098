import { failWith, WRONG_TYPE } from './reply.js';
import { SortedSet } from './sorted-set.js';

export type Hash = Map<string, string>;

type Value = string | Hash | SortedSet;

/** What is under a key. */
export interface Entry {
  readonly value: Value;
  /** The server's time in milliseconds after which the key is gone. */
  readonly expiresMs: number | undefined;
}

/** All keys of a server at one moment. */
export type Snapshot = ReadonlyMap<string, Entry>;

/** How often a server looks for keys that have expired and that nobody asks for. */
const SWEPT_MS = 100;

/** The keys of a server. A key that has expired is there until somebody asks for it, or until it is swept. */
export class Keyspace {
  /** The time of the command that is running. It stands still meanwhile. */
  nowMs = 0;
  /** The same in whole microseconds. */
  nowUs = 0;
  #entries = new Map<string, Entry>();
  #sweptMs = 0;
  /** No key expires before. */
  #firstExpiryMs = Number.POSITIVE_INFINITY;

  /** How many keys there are, with those that have expired and are not swept yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** Begins a command. */
  startAt(timeMs: number): void {
    this.nowUs = Math.floor(timeMs * 1000);
    const nowMs = Math.floor(this.nowUs / 1000);
    this.nowMs = nowMs;
    if (nowMs > this.#firstExpiryMs && Math.abs(nowMs - this.#sweptMs) >= SWEPT_MS) this.#sweep();
  }

  find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresMs === undefined || this.nowMs <= entry.expiresMs) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** @throws RedisReplyError if the key holds something else */
  text(key: string): string | undefined {
    const value = this.find(key)?.value;
    return value === undefined || typeof value === 'string' ? value : failWith(WRONG_TYPE);
  }

  /** @throws RedisReplyError if the key holds something else */
  hash(key: string): Hash | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof Map ? value : failWith(WRONG_TYPE);
  }

  /** @throws RedisReplyError if the key holds something else */
  sortedSet(key: string): SortedSet | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof SortedSet ? value : failWith(WRONG_TYPE);
  }

  /** Puts a value under a key. The key expires at this time, or never. */
  set(key: string, value: Value, expiresMs: number | undefined): void {
    this.#entries.set(key, { value, expiresMs });
    if (expiresMs !== undefined && expiresMs < this.#firstExpiryMs) this.#firstExpiryMs = expiresMs;
  }

  /** Puts a value under a key, which expires when it did before. */
  replace(key: string, value: Value): void {
    this.set(key, value, this.find(key)?.expiresMs);
  }

  delete(key: string): boolean {
    return this.find(key) !== undefined && this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#firstExpiryMs = Number.POSITIVE_INFINITY;
  }

  /** The keys that have not expired, in order. */
  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.find(key) !== undefined).sort();
  }

  snapshot(): Snapshot {
    return new Map([...this.#entries].map(([key, entry]) => [key, copied(entry)]));
  }

  restore(snapshot: Snapshot): void {
    this.clear();
    for (const [key, entry] of snapshot) {
      const { value, expiresMs } = copied(entry);
      this.set(key, value, expiresMs);
    }
  }

  #sweep(): void {
    this.#sweptMs = this.nowMs;
    this.#firstExpiryMs = Number.POSITIVE_INFINITY;
    for (const [key, { expiresMs }] of this.#entries) {
      if (expiresMs === undefined) continue;
      if (this.nowMs > expiresMs) this.#entries.delete(key);
      else this.#firstExpiryMs = Math.min(this.#firstExpiryMs, expiresMs);
    }
  }
}

function copied({ value, expiresMs }: Entry): Entry {
  if (typeof value === 'string') return { value, expiresMs };
  return { value: value instanceof Map ? new Map(value) : value.copy(), expiresMs };
}
