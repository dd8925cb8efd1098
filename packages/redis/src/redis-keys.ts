import type { Check, Limit, Target } from '@sluice/core';
import { DEFINITIONS, definitionOf } from '@sluice/core/store';

/** Raised when what is kept under a key changes its form; an older form starts fresh. */
const FORMAT = 1;

/**
 * Which part of a key is its hash tag: keys that share it live in one slot of a cluster, where one step can decide
 * about all of them.
 */
export type HashTag = 'subject' | 'policy';

/** Names of Redis keys: `sluice:1:sw:login:per-1m:{ann}`. */
export class RedisKeys {
  readonly #prefix: string;
  readonly #hashTag: HashTag;
  /** What the name of a limit's key was made of last: most limits are asked under one name. */
  readonly #starts = new WeakMap<Limit, Start>();

  constructor(prefix: string, hashTag: HashTag) {
    this.#prefix = prefix;
    this.#hashTag = hashTag;
  }

  /** The state of a check. */
  state({ policy, name, key, limit }: Check): string {
    let start = this.#starts.get(limit);
    if (start?.policy !== policy || start.name !== name) {
      start = { policy, name, text: this.#start(definitionOf(limit).tag, policy, name) };
      this.#starts.set(limit, start);
    }
    return start.text + this.#end(key);
  }

  /** Whatever a reset has to forget. */
  states({ policy, name, key }: Target): string[] {
    return DEFINITIONS.map(({ tag }) => this.#start(tag, policy, name) + this.#end(key));
  }

  /** Remembers an id beside the state of a check: in the same slot. */
  id(check: Check, kind: 'ask' | 'change', id: string): string {
    return `${this.#prefix}${FORMAT}:${kind}:{${this.tag(check)}}:${id}`;
  }

  /** What the hash tag of a check's keys is: equal ones share a slot. */
  tag({ policy, key }: Target): string {
    return escaped(this.#hashTag === 'subject' ? key : policy);
  }

  #start(algorithmTag: string, policy: string, name: string): string {
    const hashTag = this.#hashTag === 'subject' ? escaped(policy) : `{${escaped(policy)}}`;
    return `${this.#prefix}${FORMAT}:${algorithmTag}:${hashTag}:${escaped(name)}:`;
  }

  #end(key: string): string {
    return this.#hashTag === 'subject' ? `{${escaped(key)}}` : escaped(key);
  }
}

interface Start {
  readonly policy: string;
  readonly name: string;
  readonly text: string;
}

/** Braces would make another hash tag, and colons another division; an empty tag would be none. */
function escaped(part: string): string {
  if (part === '') return '%';
  return /[{}:%\r\n]/.test(part)
    ? part.replace(/[{}:%\r\n]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
    : part;
}
