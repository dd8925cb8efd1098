import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Mistake, mistakeText, type PolicyFile, readPolicyFile } from '@sluice/config';
import { type Duration, slidingWindow, tokenBucket } from '@sluice/core';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';

/** How much is tried. Set `SLUICE_RUNS` for a longer hunt. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 5);

const FOLDER = join(__dirname, '../../examples');
const EXAMPLES = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));

/** Whether a text is read or refused, with every mistake inside the text. */
function expectAnswer(text: string): void {
  const { file, mistakes } = readPolicyFile(text);
  expect(file === undefined).toBe(mistakes !== undefined);
  const lines = text.split('\n');
  const isGood = ({ line, column, message }: Mistake): boolean =>
    message !== '' && column >= 1 && column <= (lines[line - 1]?.length ?? -1) + 1;
  expect(mistakes?.filter((mistake) => !isGood(mistake)) ?? []).toEqual([]);
}

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((name) => !(name in Object.prototype));
const names = (least: number) => fc.uniqueArray(word, { minLength: least, maxLength: 4 });
const amount = fc.oneof(
  fc.record({
    algorithm: fc.constant('sliding-window' as const),
    limit: fc.nat(10_000),
    window: fc.constantFrom<Duration[]>('1s', '90s', '1h', '2.5h', 86_400_000),
  }),
  fc.record({
    algorithm: fc.constant('token-bucket' as const),
    capacity: fc.nat(1000),
    refillRate: fc.integer({ min: 1, max: 50 }),
  }),
);

/** A file as somebody could write it: tiers with the same limits, customers of these tiers, and a policy of all limits. */
const writtenFile = fc
  .record({ tierNames: names(1), limitNames: names(1), customerNames: names(0) })
  .chain(({ tierNames, limitNames, customerNames }) =>
    fc.record({
      version: fc.constant(1),
      enforcement: fc.constantFrom('on', 'shadow', 'off', true, false),
      keys: fc.constant({ user: 'code', key: { header: 'X-Key' } }),
      tiers: fc.record(
        Object.fromEntries(
          tierNames.map((tier) => [tier, fc.record(Object.fromEntries(limitNames.map((name) => [name, amount])))]),
        ),
      ),
      customers: fc.record(
        Object.fromEntries(
          customerNames.map((name) => [
            name,
            fc.oneof(
              fc.record({ tier: fc.constantFrom(...tierNames) }),
              fc.record({ block: fc.constant(true), reason: fc.string({ maxLength: 30 }) }),
              fc.record({
                tier: fc.constantFrom(...tierNames),
                overrides: fc.record({ [limitNames[0] as string]: amount }),
              }),
            ),
          ]),
        ),
      ),
      policies: fc.record({
        api: fc.record({
          key: fc.constantFrom('user', 'key', ['key', 'address']),
          tier: fc.record({ from: fc.constant('customers'), default: fc.constantFrom(...tierNames) }),
          limits: fc.constant(limitNames.map((name) => ({ name, tier: true }))),
          cost: fc.nat(5),
        }),
      }),
    }),
  );

type Written = typeof writtenFile extends fc.Arbitrary<infer T> ? T : never;

type Amount = typeof amount extends fc.Arbitrary<infer T> ? T : never;

function limitOf({ algorithm, ...options }: Amount) {
  return 'capacity' in options ? tokenBucket(options) : slidingWindow(options);
}

function expectSame(file: PolicyFile, written: Written): void {
  const { enforcement } = written;
  expect(file.enforcement).toBe(typeof enforcement === 'string' ? enforcement : enforcement ? 'on' : 'off');
  for (const [tier, limits] of Object.entries(written.tiers)) {
    for (const [name, given] of Object.entries(limits)) expect(file.tiers.get(tier)?.get(name)).toEqual(limitOf(given));
  }
  expect([...file.customers.keys()].sort()).toEqual(Object.keys(written.customers).sort());
  for (const [name, given] of Object.entries(written.customers)) {
    const rule = file.customers.get(name);
    expect(rule?.tier).toBe('tier' in given ? given.tier : undefined);
    expect(rule?.block?.reason).toBe('reason' in given ? given.reason : undefined);
    expect(rule?.overrides.size).toBe('overrides' in given ? 1 : 0);
  }
  const api = file.policies.get('api');
  expect(api?.key).toEqual([written.policies.api.key].flat());
  expect(api?.cost).toEqual({ from: 'constant', units: written.policies.api.cost });
  expect(api?.limits.map(({ name }) => name)).toEqual(written.policies.api.limits.map(({ name }) => name));
}

describe('a random policy file', () => {
  it('is read as it was written, as YAML of both styles and as JSON', () => {
    fc.assert(
      fc.property(writtenFile, fc.constantFrom(0, 2, 4), (written, indent) => {
        const texts = [
          stringify(written),
          stringify(written, { collectionStyle: 'flow' }),
          stringify(written, { version: '1.1' }),
          JSON.stringify(written, undefined, indent),
        ];
        for (const text of texts) {
          const { file, mistakes = [] } = readPolicyFile(text);
          expect(mistakes.map(mistakeText)).toEqual([]);
          expectSame(file as PolicyFile, written);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is read or refused after any damage to its text, and nothing is thrown', () => {
    const damage = fc.record({
      text: fc.constantFrom(...EXAMPLES),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(30),
      put: fc.oneof(fc.constantFrom('', '\n', ' ', '{', '}', '[', ']', ':', ', ', '"', '- ', '\t', '#'), fc.string()),
    });
    fc.assert(
      fc.property(damage, ({ text, at, cut, put }) => {
        const place = Math.floor(at * text.length);
        expectAnswer(text.slice(0, place) + put + text.slice(place + cut));
      }),
      { numRuns: 6 * RUNS },
    );
  });

  it('is read or refused with any value in any place, and nothing is thrown', () => {
    const places = EXAMPLES.flatMap((text) => placesOf(parse(text)).map((place) => ({ text, place })));
    const values = fc.constantFrom(null, 5, -1, true, 'x', '', [], {}, ['x'], { x: 1 }, '5%');
    fc.assert(
      fc.property(fc.constantFrom(...places), values, ({ text, place }, value) => {
        const whole = parse(text);
        put(whole, place, value);
        expectAnswer(JSON.stringify(whole, undefined, 1));
      }),
      { numRuns: 12 * RUNS },
    );
  });
});

type Place = readonly (string | number)[];

function placesOf(value: unknown, path: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, one]) => placesOf(one, [...path, name]))].filter(
    ({ length }) => length > 0,
  );
}

function put(whole: unknown, place: Place, value: unknown): void {
  const last = place.at(-1) as string;
  const parent = place.slice(0, -1).reduce((node, step) => (node as Record<string, unknown>)[step], whole);
  (parent as Record<string, unknown>)[last] = value;
}
