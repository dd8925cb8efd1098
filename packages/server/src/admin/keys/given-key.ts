import * as v from 'valibot';
import { mustSecretly } from '../../input/exact-object.js';

const LONGEST_TEXT = 8192;
const MOST_PARTS = 8;

const PART = `text of 1 to ${LONGEST_TEXT} characters, a number, or a list of at most ${MOST_PARTS} of them`;

const single = v.union([v.pipe(v.string(), v.nonEmpty(), v.maxLength(LONGEST_TEXT)), v.pipe(v.number(), v.finite())]);

const part = v.union(
  [single, v.pipe(v.array(single), v.minLength(1), v.maxLength(MOST_PARTS))],
  mustSecretly(`be ${PART}`),
);

/** A key as operators write it. No message about it repeats it: it may be an API key. */
export const givenKey = v.pipe(
  v.union(
    [part, v.pipe(v.record(v.string(), part), v.minEntries(1), v.maxEntries(MOST_PARTS))],
    mustSecretly(`be ${PART}; or an object with such a value for each named key`),
  ),
  v.description(
    'Who: the value of the key of the policy, as its customers send it. For a key from a header also `sha256:` and the SHA-256 of the value in hexadecimal, so that nobody has to write a secret. For a policy or a limit that counts by several keys: an object with the value of each by its name.',
  ),
);

/** A value of one key. */
export type GivenPart = v.InferOutput<typeof part>;

export type GivenKey = v.InferOutput<typeof givenKey>;
