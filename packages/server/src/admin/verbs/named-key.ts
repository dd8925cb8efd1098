import { InputProblem } from '../../http/input-problem.js';
import type { VerbRun } from '../admin-verb.js';
import type { GivenKey } from '../keys/given-key.js';
import { type ResolvedKey, resolveKey } from '../keys/resolve-key.js';
import { type NamedPolicy, namedPolicy } from './named-policy.js';

/** The members that the input of every verb about one key has. */
interface KeyInput {
  readonly policy: string;
  readonly key?: GivenKey | undefined;
  readonly reason?: string;
}

/**
 * Finds the policy and the key that an operator means, and notes both for the audit: the key as its hash.
 *
 * @throws InputProblem 404 for the policy, 400 for the key, or for a reason that contains the key
 */
export function namedKey({ input, parts, note }: VerbRun<KeyInput>): NamedPolicy & ResolvedKey {
  const policy = namedPolicy(parts.service, input.policy);
  const key = resolveKey(policy.file, policy.rule, input.key);
  if (input.reason !== undefined && textsOf(input.key).some((text) => mentions(input.reason ?? '', text))) {
    throw new InputProblem(400, [
      { pointer: '/reason', detail: 'must not contain the key, because it stands in audit lines' },
    ]);
  }
  note({ policy: input.policy, key: key.hash });
  return { ...policy, ...key };
}

function textsOf(given: GivenKey | undefined): readonly string[] {
  if (typeof given !== 'object') return given === undefined ? [] : [String(given)];
  return Object.values(given).flatMap((part) => textsOf(part));
}

/** Whether a text has another one as a word of its own, and not as a part of a longer word. */
function mentions(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isWhole = [text[at - 1], text[at + word.length]].every(
      (next) => next === undefined || !/[\p{L}\p{N}]/u.test(next),
    );
    if (isWhole) return true;
  }
  return false;
}
