import { SluiceError, show } from '../values/error.js';
import { encodeKey, type Key } from '../values/key.js';
import { isMissing, type KeySource } from './check-builder.js';
import type { Item } from './policy/parse.js';

/** A subject is its own key. The last one is remembered, because a busy key often comes again. */
export class SubjectAsKey<Subject> implements KeySource<[subject: Subject]> {
  #text: unknown;
  #encoded = '';

  // By index, because a list that is taken apart as a pattern is iterated.
  defaultKey(args: [subject: Subject]): string | undefined {
    const subject = args[0];
    if (typeof subject !== 'string') return isMissing(subject) ? undefined : encodeKey(subject as Key);
    if (subject !== this.#text) {
      this.#encoded = encodeKey(subject);
      this.#text = subject;
    }
    return this.#encoded;
  }

  keyFor(key: Key | null | undefined, item: Item<[Subject]>, [subject]: [Subject]): Key {
    if (!isMissing(key)) return key;
    const cause = item.keyGenerators
      ? `the keyGenerator of ${JSON.stringify(item.name)} returned ${show(key)} for ${show(subject)}`
      : `the subject is ${show(subject)}, and there is no keyGenerator`;
    throw new SluiceError('SLUICE_KEY', `there is no key to count by: ${cause}`, { received: subject });
  }
}
