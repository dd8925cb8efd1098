import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { functionsOf, luaOf } from '../lua/arithmetic.cjs';
import { inlined } from '../lua/inline.cjs';
import { CONSTRUCTS, inJavaScript, numbers, resultsOf } from './constructs.js';
import { programs, withoutSigns } from './random-programs.js';

let client: Redis;

withRedis((given) => {
  client = given;
});

/** A text of Lua with the arithmetic of a source in it. */
const textWith = (source: string, lua: string): string =>
  inlined(`-- Calls: a\n${lua}`, 'a.lua', () => functionsOf(source, 'folder/a.ts'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('-- '))
    .join('\n');

const RUN = `local a, b = tonumber(ARGV[1]), tonumber(ARGV[2])
-- Inline: const isResult = run(a, b)
local results = { isResult }`;

/** What a function may have that is called, and one that is written out may not. */
const ONLY_CALLED = ['a loop that ends early', 'a sorted list'];

describe('what is written out', () => {
  const constructs = Object.entries(CONSTRUCTS).filter(([what]) => !ONLY_CALLED.includes(what));

  it.each(constructs)('computes the same as what is called: %s', async (_, source) => {
    await fc.assert(
      fc.asyncProperty(numbers, numbers, async (a, b) => {
        const results = await resultsOf(client, textWith(source, RUN), [a, b]);
        expect(results).toEqual(inJavaScript(source, [a, b]));
      }),
      { numRuns: 30 },
    );
  });

  it('computes the same as what is called: random programs', async () => {
    await fc.assert(
      fc.asyncProperty(programs, numbers, numbers, async (source, a, b) => {
        const results = await resultsOf(client, textWith(source, RUN), [a, b]);
        expect(withoutSigns(results)).toEqual(withoutSigns(inJavaScript(source, [a, b])));
      }),
      { numRuns: 100 },
    );
  });

  it('rounds as floor and ceil do, to the last bit', async () => {
    const source =
      'export function run(a: number, b: number) { return Math.floor(a / b) * 1000 + Math.ceil(a / b) + Math.floor(a); }';
    const divisor = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: -1000, max: -1 }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.integer(), fc.maxSafeInteger()), divisor, async (a, b) => {
        expect(await resultsOf(client, textWith(source, RUN), [a, b])).toEqual(inJavaScript(source, [a, b]));
      }),
      { numRuns: 300 },
    );
  });

  it('has no table for an object, and no function', () => {
    const source =
      'interface State { level: number } function take(state: State, units: number): State { if (units > state.level) return { level: 0 }; return { level: state.level - units }; } export function run(a: number, b: number) { const state: State = { level: a }; const left = take(state, b); return left.level; }';
    expect(textWith(source, '-- Inline: const result = run(a, b)')).not.toMatch(/[{]|function/);
  });
});

describe('what is known before', () => {
  const source = `interface Limit { quota: number; byInterval?: true; align?: string }
export function run(limit: Limit, units: number): number {
  const { quota, byInterval } = limit;
  if (byInterval === true && units > 1) return 1;
  if (limit.align === 'clock') return quota - units;
  return quota > quota ? 0 : Math.max(quota, quota) + units;
}`;
  const lua = '-- Inline: const result = run(limit, units)';

  it('is left out', () => {
    expect(textWith(source, `-- Limit: quota byInterval=nil align=nil\n${lua}`)).toBe('local result = (quota + units)');
    expect(textWith(source, `-- Limit: quota=9 byInterval=nil align='clock'\n${lua}`)).toBe(
      'local result = (9 - units)',
    );
  });

  it('is all that may be left out', () => {
    expect(() => textWith(source, `-- Limit: quota align=nil\n${lua}`)).toThrow(
      /^folder\/a\.ts:3:\d+: a\.lua has no variable for byInterval/,
    );
  });
});

describe('a state', () => {
  const source = `interface State { startMs: number; count: number; marks: number }
export function normalize(state: State, nowMs: number): State {
  const { startMs, count, marks } = state;
  return nowMs > startMs ? { startMs: nowMs, count: startMs, marks } : state;
}
export function spend(state: State, units: number): void {
  const { count } = state;
  state.count += units;
  state.marks = count;
  if (units > 5) return;
  state.startMs = state.count - count;
}
export function swap(state: State): void {
  spend(state, state.count);
}`;
  const state = '-- State: startMs count=units marks=';

  it('ends the Lua around if a statement returns', () => {
    expect(textWith(source, `${state}\n-- Inline: if (nowMs > 3) return`)).toBe('if (nowMs > 3) then return nil end');
  });

  it('is known not to be what has ended it', () => {
    const ends = `${state}\n-- Inline: if (nowMs > startMs) return\n-- Inline: state = normalize(state, nowMs)`;
    expect(textWith(source, ends)).toBe('if (nowMs > startMs) then return nil end');
  });

  it('is its variables, and nothing if it stays', () => {
    expect(textWith(source, `${state}\n-- Inline: state = normalize(state, nowMs)`)).toBe(
      'if (nowMs > startMs) then\nstartMs, units = nowMs, startMs\nend',
    );
  });

  it('is read before it changes', async () => {
    const lua = `local startMs, units = tonumber(ARGV[1]), tonumber(ARGV[2])
-- Inline: spend(state, 3)
-- Inline: swap(state)
local results = { startMs, units }`;
    expect(await resultsOf(client, textWith(source, `${state}\n${lua}`), [0, 2])).toEqual([5, 10]);
    expect(await resultsOf(client, textWith(source, `${state}\n${lua}`), [0, 4])).toEqual([3, 14]);
  });

  it('is not read where its Lua has no variable', () => {
    const reads = 'export function run(state: { marks: number }) { return state.marks; }';
    expect(() => textWith(reads, `${state}\n-- Inline: const a = run(state)`)).toThrow('marks is never read');
  });

  it('changes no limit', () => {
    const changes = 'export function run(state: { quota: number }) { state.quota = 2; }';
    expect(() => textWith(changes, '-- Limit: quota\n-- State: quota\n-- Inline: run(state)')).toThrow('quota');
  });
});

describe('a function', () => {
  const source = `function heavy(list: number[]) { list.push(1); }
export function run(a: number, list: number[]): number { if (a > 3) heavy(list); return buckets(a) + 1; }
export function buckets(a: number) { return a * 7; }`;

  it('can have a value that the Lua gives, or be left to the kernels', () => {
    const lua = '-- Given: buckets=given\n-- Leaves: heavy\n-- Inline: const result = run(a, list)';
    expect(textWith(source, lua)).toBe('if (a > 3) then\ndo return nil end\nend\nlocal result = (given + 1)');
  });
});

describe('what was computed', () => {
  const source = `interface State { level: number; timeMs: number }
function content(state: State, nowMs: number): number { return Math.min(10, state.level * (nowMs - state.timeMs)); }
export function half(state: State, nowMs: number): number { return Math.floor(content(state, nowMs) / 2); }
export function spend(state: State, units: number): void { state.level -= units; }`;
  const state = '-- State: level timeMs';
  const read = '-- Inline: const one = half(state, nowMs)';
  const again = '-- Inline: const other = half(state, nowMs)';
  const products = (lua: string): number => textWith(source, `${state}\n${lua}`).match(/\(level \*/g)?.length ?? 0;

  it('is not computed again', () => {
    expect(products(`${read}\n${again}`)).toBe(1);
    expect(products(`${read}\nif isOpen then\n${again}\nend`)).toBe(1);
    expect(products(`${read}\nif isOpen then print(level == 1, nowMs) end\n${again}`)).toBe(1);
  });

  it('is computed again if anything in it has changed, here or in the Lua around', () => {
    expect(products(`${read}\n-- Inline: spend(state, 1)\n${again}`)).toBe(2);
    expect(products(`${read}\nif isOpen then\n-- Inline: spend(state, 1)\nend\n${again}`)).toBe(2);
    expect(products(`${read}\nlevel, other = 1, 2\n${again}`)).toBe(2);
    expect(products(`${read}\nother[1], level[i + 1] = 1, 2\n${again}`)).toBe(2);
    expect(products(`${read}\nif isOpen then level = 2 end\n${again}`)).toBe(2);
  });

  it('is computed again in another block', () => {
    expect(products(`if isOpen then\n${read}\nend\n${again}`)).toBe(2);
    expect(products(`if isOpen then\n${read}\nelse\n${again}\nend`)).toBe(2);
    expect(products(`for i = 1, 2 do\n${read}\nend\nwhile isOpen do\n${again}\nend`)).toBe(2);
  });

  it('is computed again in a loop that changes it', async () => {
    const loop = `export function run(a: number, b: number): number {
  const state = { level: b };
  let sum = Math.floor((state.level * 3) / 2);
  for (let i = 0; i < a; i += 1) {
    sum += Math.floor((state.level * 3) / 2);
    state.level += 1;
  }
  return sum + Math.floor((state.level * 3) / 2);
}`;
    const small = fc.integer({ min: -3, max: 9 });
    await fc.assert(
      fc.asyncProperty(small, small, async (a, b) => {
        expect(await resultsOf(client, textWith(loop, RUN), [a, b])).toEqual(inJavaScript(loop, [a, b]));
      }),
      { numRuns: 30 },
    );
  });
});

/** What may not be written out, and what is said about it. */
const REFUSED: readonly (readonly [what: string, source: string, says: string])[] = [
  ['a loop that ends early', CONSTRUCTS['a loop that ends early'] as string, 'a function that returns within a loop'],
  [
    'a change within an expression',
    'function add(list: number[]) { list.push(1); return 1; } export function run(a: number) { const list: number[] = []; return a + add(list); }',
    'a function that changes something stands alone',
  ],
  [
    'a change that depends on a condition',
    'function hasAdded(list: number[]) { list.push(1); return true; } export function run(a: number) { const list: number[] = []; return a > 1 && hasAdded(list); }',
    'a function that changes something stands alone',
  ],
  [
    'a loop whose condition needs statements',
    'export function run(a: number) { let i = 0; while (i < Math.min(a, 3)) i += 1; return i; }',
    'a loop whose condition needs statements',
  ],
  ['what is outside the subset', 'export function run(a: number) { return a % 2; }', 'BinaryExpression has no'],
];

describe('what may not be written out', () => {
  it.each(REFUSED)('is refused, with its line: %s', (_, source, says) => {
    const write = (): string => textWith(source, RUN);
    expect(write).toThrow(says);
    expect(write).toThrow(/^folder\/a\.ts:1:\d+: /);
  });

  it('is refused if nobody has written it', () => {
    expect(() => textWith('export function run() { return 1; }', '-- Inline: const a = other(1)')).toThrow(
      'a.lua:1:11: only functions of the arithmetic are called',
    );
  });
});

describe('The first page of', () => {
  /** The examples of a file: lines of its comments that are indented. */
  const examplesOf = (file: string): string[] =>
    [...readFileSync(join(__dirname, '../lua', file), 'utf8').matchAll(/(?:^\/\/ {3}.*\n)+/gm)].map(([lines]) =>
      lines.replace(/^\/\/ {3}/gm, '').trimEnd(),
    );

  it('arithmetic.cjs shows what it translates, and what comes out', () => {
    const [source = '', lua] = examplesOf('arithmetic.cjs');
    expect(luaOf(source, 'a.ts', 'left')).toBe(lua);
  });

  it('inline.cjs shows what it translates, and what comes out', () => {
    const [source = '', lua, result] = examplesOf('inline.cjs').slice(-3);
    const calls = '-- Calls: a\n';
    expect(inlined(`${calls}${lua}`, 'a.lua', () => functionsOf(source, 'a.ts'))).toBe(`${calls}${result}`);
  });
});
