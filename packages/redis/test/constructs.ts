import { transformSync } from 'esbuild';
import fc from 'fast-check';
import type { Redis } from 'ioredis';

export const numbers = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.constantFrom(0, 2 ** 40, -(2 ** 40)));

/** What the scripts define before any arithmetic. */
const PRELUDE = 'local NEVER, floor, ceil, min, max = -1, math.floor, math.ceil, math.min, math.max';

/**
 * Runs Lua in Redis that puts numbers into a list `results`. A double loses no bit on its way as text with 17 digits.
 *
 * @param args - ARGV
 */
export async function resultsOf(client: Redis, lua: string, args: readonly number[]): Promise<number[]> {
  const script = `${PRELUDE}
${lua}
local texts = {}
for i, value in ipairs(results) do
  if type(value) == 'boolean' then value = value and 1 or 0 end
  texts[i] = string.format('%.17g', value)
end
return texts`;
  const texts = (await client.eval(script, 0, ...args.map(String))) as string[];
  return texts.map(Number);
}

/** Runs the function `run` of a source as JavaScript. */
export function inJavaScript(source: string, args: readonly number[]): number[] {
  const code = transformSync(source, { loader: 'ts', format: 'cjs' }).code;
  const module = { exports: {} as Record<string, (...all: readonly number[]) => unknown> };
  new Function('module', 'exports', code)(module, module.exports);
  const value = module.exports.run?.(...args);
  return value === undefined ? [] : [value === 'never' ? -1 : Number(value)];
}

/** What may be written, each as a function of two numbers. */
export const CONSTRUCTS: Readonly<Record<string, string>> = {
  arithmetic: 'export function run(a: number, b: number) { return (a + 2 * b) / 3 - -a; }',
  'rounding and bounds':
    'export function run(a: number, b: number) { return Math.floor(a / 7) + Math.ceil(b / 3) + Math.min(a, b, 5) - Math.max(a, -b); }',
  'a choice of a value': 'export function run(a: number, b: number) { return a < b ? a : b === 0 ? 1 : -b; }',
  'a choice in a constant':
    'export function run(a: number, b: number) { const least = a <= b ? a : b; const isLess = a < b; return isLess ? least : 2 * least; }',
  'a choice of nothing':
    'function half(a: number): number | undefined { return a > 50 ? undefined : a / 2; } export function run(a: number, b: number) { const found = half(a); return found === undefined ? b : found; }',
  never: "export function run(a: number, b: number): number | 'never' { if (a > b) return 'never'; return b - a; }",
  conditions:
    'function isSmall(a: number) { return a < 20; } export function run(a: number, b: number) { const hasBoth = isSmall(a) && (isSmall(b) || !(b > 60)); if (hasBoth) return 1; return a !== b && b >= a; }',
  'assignments and fields':
    'export function run(a: number, b: number) { const state = { level: a, part: b }; state.level += b; state.part -= 2; state.level = state.part > 9 ? 9 : state.level; const { level, part } = state; return level * 1000 + part; }',
  'a renamed field':
    'export function run(a: number, b: number) { const state = { a, b }; const { a: first, b: second } = state; return first - second; }',
  'a list':
    'export function run(a: number, b: number) { const list: number[] = []; list.push(a); list.push(b); list.push(3); list[list.length - 1] = a + b; list[0] = list[1] as number; return list.length * 100 + (list[2] as number) - (list[0] as number); }',
  'the removal of entries':
    'export function run(a: number, b: number) { const list = [a, b, 1, 2, 3]; list.splice(1, 2); list.pop(); return (list[0] as number) + 10 * (list[1] as number) + list.length; }',
  'the removal of all':
    'export function run(a: number, b: number) { const list = [a, b]; list.splice(0, 2); return list.length === 0; }',
  'a sorted list':
    'export function run(a: number, b: number) { const list = [a, 50, b]; list.sort((one, other) => one - other); return list[1]; }',
  'a counted loop':
    'export function run(a: number, b: number) { const list = [a, b, 4]; const count = list.length; let sum = 0; for (let i = 1; i < count; i += 1) { const value = list[i] as number; if (value > 3) sum += value; else sum -= 1; } return sum; }',
  'a loop that ends early':
    'export function run(a: number, b: number) { const most = 9; for (let i = 0; i < most; i += 1) { if (i * 10 > a) return i; } return b; }',
  'a loop while something holds':
    'export function run(a: number, b: number) { let rest = a; let i = 0; while (rest > 0 && i < 6) { rest -= b; i += 1; } return i * 1000 + rest; }',
  constants:
    'export const MOST = 2 ** 31 - 1; const UNKNOWN = -1; export function run(a: number, b: number) { return a > 50 ? MOST - b : UNKNOWN; }',
  'a change of what was given':
    'interface State { level: number } function take(state: State, units: number): void { if (units === 0) return; state.level -= units; } export function run(a: number, b: number) { const state: State = { level: a }; take(state, b); return state.level; }',
};
