import { describe, expect, it } from '@jest/globals';
import { type Mistake, readPolicyFile, readPolicyFileInSlices } from '@sluice/config';
import fc from 'fast-check';

/** How much is tried. Set `SLUICE_RUNS` for a longer hunt. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 10);

const HEAD = `version: 1
keys: { customer: { header: x-api-key } }
tiers: { pro: { m: { limit: 5, window: 1m } }, free: { m: unlimited } }
policies: { api: { key: customer, tier: { from: customers, default: free }, limits: [{ name: m, tier: true }] } }
`;

/** The same for both texts: a word in quotes is not looked for, so the YAML parser reads all customers. */
const [QUICK, SLOW] = [`${HEAD}customers:\n`, `${HEAD}"customers":\n`];

/** Ways to write a customer, and what can stand between them. `@` is a name. */
const ENTRIES = [
  '  @: { tier: pro }',
  '  @: {tier: pro}',
  '  @: { "tier": "pro" }',
  '  "@": { tier: "free" }',
  "  '@': { tier: free }",
  '  @:\n    tier: pro',
  '  @:\n      tier: "pro"  ',
  '  @:\n    tier: pro\n    reason: none',
  '  @:\n    tier: pro\n\n    block: true',
  '  @:\n    tier: pro\n    # note\n    block: true',
  '  @: { tier: pro } # a note',
  '  @: { tier: null }',
  '  @: { tier: true }',
  '  @: { tier: prro }',
  '  @: { Tier: pro }',
  '  @: { tier: pro, block: true }',
  '  @: { block: true, reason: "tier: pro" }',
  '  @: { block: true, reason: "one\n  two: { tier: pro }" }',
  '  @:\n    block: true\n    reason: |\n      x: { tier: pro }\n     ',
  '  @: {\n    tier: pro }',
  '  @:',
  '   @: { tier: pro }',
  '    @: { tier: pro }',
  ' @: { tier: pro }',
  '  sha256:@: { tier: pro }',
  '  @:{ tier: pro }',
  '  @: { tier: pro',
  '\t@: { tier: pro }',
  '',
  '  # a note',
  '# a note',
  '\r',
];

const lines = fc.array(
  fc.record({ entry: fc.oneof({ weight: 3, arbitrary: fc.constant(ENTRIES[0]) }, fc.constantFrom(...ENTRIES)) }),
  { maxLength: 6 },
);

const without = (mistakes: readonly Mistake[] = []) => mistakes.map(({ origin: _, ...mistake }) => mistake);

describe('customers who have only a tier', () => {
  it('are read as the YAML parser would read them', () => {
    fc.assert(
      fc.property(lines, fc.constantFrom('', 'accept: "x"\n'), (parts, tail) => {
        const text = parts.map(({ entry }, i) => `${entry?.replaceAll('@', `c${i}`)}\n`).join('') + tail;
        const [quick, slow] = [readPolicyFile(QUICK + text), readPolicyFile(SLOW + text)];
        expect(without(quick.mistakes)).toEqual(without(slow.mistakes));
        expect(quick.file?.customers).toEqual(slow.file?.customers);
      }),
      { numRuns: 6 * RUNS },
    );
  });

  it.each([
    ['in one line', undefined],
    ['in many lines', 2],
  ])('are read from JSON %s', (_, indent) => {
    const customers = {
      a: { tier: 'pro' },
      b: { block: true, reason: '}, "x": { "tier": "pro" }' },
      c: { tier: 'free' },
      'd"': { tier: 'free' },
      e: { tier: 'nobody' },
      f: { tier: 'pro' },
    };
    const policies = {
      api: { key: 'user', tier: { from: 'customers', default: 'pro' }, limits: [{ name: 'm', tier: true }] },
    };
    const tiers = { pro: { m: { limit: 5, window: '1m' } }, free: { m: 'unlimited' } };
    const whole = { version: 1, keys: { user: 'code' }, tiers, customers, policies };
    const text = JSON.stringify(whole, undefined, indent);
    const { mistakes = [] } = readPolicyFile(text);
    expect(mistakes).toHaveLength(1);
    const before = text.slice(0, text.indexOf('"nobody"')).split('\n');
    expect(mistakes[0]).toMatchObject({
      path: 'customers.e.tier',
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    });
    const { file } = readPolicyFile(text.replace('"nobody"', '"pro"'));
    expect([...(file?.customers.keys() ?? [])].sort()).toEqual(['a', 'b', 'c', 'd"', 'e', 'f']);
  });

  it('have their mistakes where they stand', () => {
    const text = `${QUICK}  a: { tier: pro }\n  b: { tier: prro }\n  c:\n    tier: none\n  d: { tier: pro }\n  a: { tier: free }\n  toString: { tier: pro }\n  x: { block: yes }\n`;
    const { mistakes = [] } = readPolicyFile(text);
    expect(mistakes.map(({ line, column, path }) => [line, column, path])).toEqual([
      [7, 14, 'customers.b.tier'],
      [9, 11, 'customers.c.tier'],
      [11, 3, 'customers.a'],
      [12, 3, 'customers.toString'],
      [13, 15, 'customers.x.block'],
    ]);
  });

  it('are read in slices, between which others have a turn', async () => {
    const text = QUICK + Array.from({ length: 5000 }, (_, i) => `  c${i}: { tier: pro }\n`).join('');
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const { file } = await readPolicyFileInSlices(text, { pause });
    expect(file).toEqual(readPolicyFile(text).file);
    expect(file?.customers.size).toBe(5000);
    expect(pauses).toBeGreaterThanOrEqual(8);
  });

  it('share one object for each tier', () => {
    const { file } = readPolicyFile(`${QUICK}  a: { tier: pro }\n  b: { tier: pro }\n  c: { tier: free }\n`);
    expect(file?.customers.get('a')).toBe(file?.customers.get('b'));
    expect(file?.customers.get('a')).not.toBe(file?.customers.get('c'));
  });
});
