import { describe, expect, it } from '@jest/globals';
import { type Mistake, mistakeText, readPolicyFile } from '@sluice/config';
import fc from 'fast-check';

/** How much is tried. Set `SLUICE_RUNS` for a longer hunt. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 5);

const mistakesOf = (text: string) => readPolicyFile(text).mistakes?.map(mistakeText).join('\n');

/** Each entry names the one before it nine times: 9 to the power of 9 values. */
const ALIAS_BOMB = `version: 1\nb0: &b0 [x]\n${Array.from({ length: 9 }, (_, i) => `b${i + 1}: &b${i + 1} [${`*b${i},`.repeat(9)}]\n`).join('')}`;

/** Reads take this long at most. The machine of CI can be ten times slower than others, so the proof has the exact time. */
const LONGEST_MS = 10_000;

describe('a hostile policy file', () => {
  it.each([
    ['an alias bomb', ALIAS_BOMB, /is not an option|must not be an alias/],
    ['10 MB', `version: 1\n# ${'x'.repeat(10_000_000)}`, /must have less than 10,000,000 characters/],
    [
      'a million keys',
      `version: 1\nkeys:\n${Array.from({ length: 1_000_000 }, (_, i) => `  k${i.toString(36)}:\n`).join('')}`,
      /must have less|must have at most 1,000,000 characters/,
    ],
    [
      'a million keys of customers',
      `version: 1\ncustomers:\n${Array.from({ length: 1_000_000 }, (_, i) => ` ${i.toString(36)}:\n`).join('')}`,
      /must have at most 1,000,000 characters/,
    ],
    ['100,000 nested lists', `version: ${'['.repeat(100_000)}`, /nested too deeply/],
    ['nested mappings', `{"a":`.repeat(50_000), /nested too deeply/],
    ['a long name', `version: 1\n${'a'.repeat(900_000)}: 1\n`, /not YAML|is not an option/],
    ['lists of lists in one line', '- '.repeat(400_000), /nested too deeply/],
    [
      'levels of indentation',
      Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
      /nested too deeply|not YAML|is not an option/,
    ],
    ['many anchors', `version: 1\nx:\n${'  - &a b\n'.repeat(10_000)}`, /is not an option/],
    ['a long comment', `version: 1\n${'#'.repeat(900_000)}\n`, /policies is missing/],
    [
      'many mistakes',
      `version: 1\npolicies:\n${Array.from({ length: 3000 }, (_, i) => `  p${i}: {}\n`).join('')}`,
      /limits is missing/,
    ],
    ['quotes without an end', `version: "${'\\"'.repeat(200_000)}`, /version must be 1/],
    ['a bomb of customers', `version: 1\ncustomers:\n${'  a: { tier: b }\n'.repeat(30_000)}`, /stands here twice/],
  ])(
    'is refused without delay: %s',
    (_, text, rule) => {
      expect(mistakesOf(text)).toMatch(rule);
    },
    LONGEST_MS,
  );

  it('cannot reach the prototype of an object', () => {
    const text = '{ "version": 1, "__proto__": { "accept": "x" }, "policies": { "__proto__": { "limits": [] } } }';
    const { mistakes = [] } = readPolicyFile(text);
    expect(mistakes.map(({ path }) => path)).toEqual(['__proto__', 'policies', 'policies.__proto__']);
    expect(Object.hasOwn(Object.prototype, 'accept')).toBe(false);
  });

  it('does not hide that there are more mistakes than it lists', () => {
    const tiers = Array.from({ length: 1500 }, (_, i) => `  t${i}: 5\n`).join('');
    const { mistakes = [] } = readPolicyFile(`version: 1\ntiers:\n${tiers}policies: {}\n`);
    expect(mistakes).toHaveLength(1001);
    expect(mistakes.at(-1)?.message).toBe('501 more mistakes are not listed');
  });

  it('has mistakes, and throws nothing, whatever the text is', () => {
    const anything = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.json({ maxDepth: 5 }),
      fc
        .array(
          fc.constantFrom(
            'version: 1',
            'policies:',
            '  ',
            '- ',
            '{',
            '}',
            '[',
            ']',
            ': ',
            '\n',
            '"',
            '&a',
            '*a',
            '? ',
            '|',
            '>',
            '#',
            '!x',
            '\t',
            '---',
            'api',
            'limits',
            'tier',
            '%',
          ),
          { maxLength: 40 },
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const { mistakes } = readPolicyFile(text);
        const lines = text.split('\n');
        const isInside = ({ line, column }: Mistake): boolean =>
          column >= 1 && column <= (lines[line - 1]?.length ?? -1) + 1;
        expect(mistakes?.filter((mistake) => !isInside(mistake))).toEqual([]);
      }),
      { numRuns: 10 * RUNS },
    );
  });
});
