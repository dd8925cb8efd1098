import { ALGORITHM_WORDS } from '../src/file/read-limit.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The words of an algorithm: those of others are refused. */
function wordsOf(algorithm: keyof typeof ALGORITHM_WORDS, isWhole: boolean): JsonObject {
  const { needs, knows } = ALGORITHM_WORDS[algorithm];
  const all = Object.values(ALGORITHM_WORDS).flatMap((words) => [...words.needs, ...words.knows]);
  const strangers = [...new Set(all)].filter((word) => !needs.includes(word) && !knows.includes(word));
  return {
    properties: Object.fromEntries(strangers.map((word) => [word, false])),
    ...(isWhole && needs.length > 0 && { required: needs }),
  };
}

const is = (algorithm: string) => ({ properties: { algorithm: { const: algorithm } }, required: ['algorithm'] });

/**
 * Which words a limit of each algorithm has.
 *
 * @param isWhole - whether the limit has to have all words that its algorithm needs
 */
function byAlgorithm(isWhole: boolean): readonly JsonObject[] {
  const named = (Object.keys(ALGORITHM_WORDS) as (keyof typeof ALGORITHM_WORDS)[]).map((algorithm) => ({
    if: is(algorithm),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: wordsOf(algorithm, isWhole),
  }));
  const isCalendar = { properties: { window: { type: 'object' } }, required: ['window'] };
  const usual = {
    if: isCalendar,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: wordsOf('fixed-window', isWhole),
    else: wordsOf('sliding-window', isWhole),
  };
  // An override takes the algorithm of the limit that it replaces.
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return isWhole ? [...named, { if: { not: { required: ['algorithm'] } }, then: usual }] : named;
}

const either = (...words: readonly string[]) => ({ oneOf: words.map((word) => ({ required: [word] })) });

const ofHeader = { dependencies: { header: ['trustedFrom'], trustedFrom: ['header'] } };

/** Rules that several parts of the file have. */
export const SHARED_CONSTRAINTS = {
  wordsOfAlgorithm: { allOf: byAlgorithm(false) },
  wholeLimit: { allOf: byAlgorithm(true) },
};

const has = (constraint: keyof typeof SHARED_CONSTRAINTS) => ({ allOf: [{ $ref: `#/definitions/${constraint}` }] });

/** Rules of a part of the file that no single word says. */
export const CONSTRAINTS: Readonly<Record<string, JsonObject>> = {
  policyFile: { properties: { policies: { minProperties: 1 } } },
  key: either('header', 'ip'),
  limit: has('wholeLimit'),
  variant: has('wholeLimit'),
  override: has('wordsOfAlgorithm'),
  limitItem: {
    if: { anyOf: [{ required: ['tier'] }, { required: ['variants'] }] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      required: ['name'],
      not: { required: ['tier', 'variants'] },
      properties: Object.fromEntries(
        ['algorithm', ...Object.values(ALGORITHM_WORDS).flatMap(({ needs, knows }) => [...needs, ...knows])].map(
          (word) => [word, false],
        ),
      ),
    },
    else: has('wholeLimit'),
    properties: { variants: { minProperties: 2 } },
  },
  customer: { minProperties: 1, dependencies: { reason: ['block'], until: ['block'] } },
  cost: { ...ofHeader, ...either('header', 'from') },
  tier: { ...ofHeader, ...either('header', 'from') },
  match: { minProperties: 1 },
  rolloutStep: either('from', 'after'),
  policy: {
    dependencies: { brake: ['rollout'], unknownCustomer: ['tier'] },
    not: { required: ['enforce', 'rollout'] },
    properties: {
      rollout: { items: [{ required: ['from'] }] },
    },
  },
};
