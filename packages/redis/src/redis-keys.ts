import type { Limit, LimitCheck, Target } from '@sluice/core';
import { DEFINITIONS, definitionOf } from '@sluice/core/store';

/** Raise it if the form of a value changes. A value of an older form is ignored, and its key starts fresh. */
const FORMAT = 1;

/**
 * Which part of a key is its hash tag. Keys with the same tag live in one slot of a cluster, where one step can decide
 * about all of them.
 */
export type HashTag = 'subject' | 'policy';

/** Names of Redis keys: `sluice:1:sw:login:per-1m:{ann}`. */
export class RedisKeys {
  readonly prefix: string;
  readonly hashTag: HashTag;
  /** The braces around a subject, if it is the hash tag. */
  readonly #open: string;
  readonly #close: string;
  /** The last start of a key's name for each limit. Most limits are always used under one name. */
  readonly #starts = new WeakMap<Limit, Start>();
  /** The one that was used last. */
  #last: Start = { limit: undefined, policy: '', name: '', text: '' };

  constructor(prefix: string, hashTag: HashTag) {
    this.prefix = prefix;
    this.hashTag = hashTag;
    const isSubject = hashTag === 'subject';
    this.#open = isSubject ? '{' : '';
    this.#close = isSubject ? '}' : '';
  }

  /** Returns the key of a check's state. */
  state({ policy, name, key, limit }: LimitCheck): string {
    const last = this.#last;
    const start =
      last.limit === limit && last.policy === policy && last.name === name ? last : this.#startOf(limit, policy, name);
    return start.text + escaped(key) + this.#close;
  }

  #startOf(limit: Limit, policy: string, name: string): Start {
    let start = this.#starts.get(limit);
    if (start?.policy !== policy || start.name !== name) {
      start = { limit, policy, name, text: this.#start(definitionOf(limit).tag, policy, name) };
      this.#starts.set(limit, start);
    }
    this.#last = start;
    return start;
  }

  /** Returns all keys that a reset has to remove. */
  states({ policy, name, key }: Target): string[] {
    const end = escaped(key) + this.#close;
    return DEFINITIONS.map(({ tag }) => this.#start(tag, policy, name) + end);
  }

  /** Returns the keys of a policy's list of blocks. They share a slot. */
  list(policy: string): string[] {
    const start = `${this.prefix}${FORMAT}:blocks:{${escaped(policy)}}`;
    return [`${start}:held`, `${start}:begun`, `${start}:notes`];
  }

  /** Returns the key that remembers an id. It is in the slot of the check's state. */
  id(check: LimitCheck, kind: 'ask' | 'change', id: string): string {
    return `${this.prefix}${FORMAT}:${kind}:{${this.tag(check)}}:${id}`;
  }

  /** Returns the hash tag of a check's keys. Equal tags share a slot. */
  tag({ policy, key }: Target): string {
    return escaped(this.hashTag === 'subject' ? key : policy);
  }

  #start(algorithmTag: string, policy: string, name: string): string {
    const hashTag = this.hashTag === 'subject' ? escaped(policy) : `{${escaped(policy)}}`;
    return `${this.prefix}${FORMAT}:${algorithmTag}:${hashTag}:${escaped(name)}:${this.#open}`;
  }
}

/** The start of the keys of a limit under one name. */
interface Start {
  readonly limit: Limit | undefined;
  readonly policy: string;
  readonly name: string;
  readonly text: string;
}

/** Braces would start another hash tag, and colons separate the parts. An empty tag would not count as one. */
function escaped(part: string): string {
  if (part === '') return '%';
  // Most keys have none of these, and those of addresses have colons alone.
  if (!/[{}%\r\n:]/.test(part)) return part;
  const others = /[{}%\r\n]/.test(part)
    ? part.replace(/[{}%\r\n]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
    : part;
  return others.replaceAll(':', '%3a');
}
