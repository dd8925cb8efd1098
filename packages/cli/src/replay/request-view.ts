import { type Key, MemoryStore } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import type { LoggedRequest } from '../log/logged-request.js';
import { LogClock } from './log-clock.js';
import type { PolicyForLog, ReplayedPolicy } from './replayed-policy.js';

type KeyReader = (request: LoggedRequest) => Key | null | undefined;

/**
 * What a policy is to a request, before any limit is asked: not for it, not counted, refused for its sender, or
 * counted.
 */
type Standing = 'unmatched' | 'exempt' | 'refused' | 'counted';

/** How one policy sees a request. All readings of a log share it, so that it is found out once. */
export class RequestView {
  readonly policy: ReplayedPolicy;
  /** The names of the compiled limits. */
  readonly limits: readonly string[];
  /** The keys of the request, by their numbers: see `ReplayedPolicy.keyOfLimit`. */
  readonly keys: (Key | undefined)[] = [];
  /** A text for each key, which no other key has. */
  readonly texts: string[] = [];
  /** How many requests had no key and no address. They are counted together. */
  withoutKey = 0;
  readonly #readers: readonly KeyReader[];
  readonly #skip: PolicyForLog['skip'];
  readonly #clock = new LogClock();
  #request: LoggedRequest | undefined;
  #standing: Standing = 'unmatched';

  constructor(policy: ReplayedPolicy) {
    this.policy = policy;
    const compiled = policy.compile(new MemoryStore({ clock: this.#clock, maxKeys: 1, name: 'replay' }));
    this.#readers = keyReaders(policy, compiled);
    this.#skip = compiled.skip;
    this.limits = compiled.limits.map(({ name }) => name ?? policy.name);
  }

  /** Turns to a request, and returns what the policy is to it. */
  turnTo(request: LoggedRequest, atMs: number): Standing {
    if (request === this.#request) return this.#standing;
    this.#request = request;
    this.#clock.nowMs = atMs;
    this.#standing = this.#standingOf(request);
    return this.#standing;
  }

  #standingOf(request: LoggedRequest): Standing {
    if (!this.policy.matches(request)) return 'unmatched';
    if (this.#skip?.(request)) return 'exempt';
    try {
      for (let i = 0; i < this.#readers.length; i += 1) {
        const key = this.#readers[i]?.(request) ?? undefined;
        this.keys[i] = key;
        this.texts[i] = textOf(key);
      }
    } catch (error) {
      if (error instanceof HttpRefusal) return this.#refused(request);
      throw error;
    }
    if (this.keys[0] === undefined) this.withoutKey += 1;
    return 'counted';
  }

  /** A sender who is refused is not asked for a key. */
  #refused({ ip }: LoggedRequest): Standing {
    this.keys[0] = ip;
    this.texts[0] = ip ?? '';
    return 'refused';
  }
}

/** The function that reads each key, by its number. The first limit with a key tells how it is read. */
function keyReaders({ keyOfLimit }: ReplayedPolicy, { limits }: PolicyForLog): readonly KeyReader[] {
  const numbers = [...new Set(keyOfLimit)].sort((a, b) => a - b);
  // The first limit also checks who sends the request. If it refuses, the keys do not matter.
  return numbers.map((number) => {
    const { keyGenerator = ({ ip }: LoggedRequest) => ip } = limits[keyOfLimit.indexOf(number)] ?? {};
    return joined(keyGenerator as KeyReader | readonly KeyReader[]);
  });
}

function joined(readers: KeyReader | readonly KeyReader[]): KeyReader {
  if (typeof readers === 'function') return readers;
  const [only] = readers;
  if (readers.length === 1 && only) return only;
  return (request) => {
    const parts: Key[] = [];
    for (const read of readers) {
      const part = read(request);
      if (part === undefined || part === null) return undefined;
      parts.push(part);
    }
    return parts;
  };
}

/** Returns a text that no other key has. */
export function textOf(key: Key | undefined): string {
  if (typeof key === 'string') return key;
  if (key === undefined) return '';
  // The usual keys, a kind and a value, are not worth a call of JSON.
  if (Array.isArray(key) && key.length === 2 && typeof key[0] === 'string' && typeof key[1] === 'string') {
    return `${key[0].length}:${key[0]}${key[1]}`;
  }
  return JSON.stringify(key);
}
