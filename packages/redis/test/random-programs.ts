// Programs in the subset of TypeScript that Lua is made of. They keep to numbers that are whole enough: nothing is divided by 0.
import fc from 'fast-check';

const small = fc.integer({ min: 0, max: 9 }).map(String);

/** What a program can read: its parameters, its variables, a field and an entry of its list. */
const read = fc.constantFrom('a', 'b', 'sum', 'state.level', 'state.part', 'list[0]', 'list[list.length - 1]');

/** Often without parentheses, so that what binds first matters. */
const { value, condition } = fc.letrec<{ value: string; condition: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    read,
    small,
    fc.tuple(tie('value'), fc.constantFrom('+', '-', '*'), tie('value')).map((parts) => parts.join(' ')),
    fc.tuple(tie('value'), fc.constantFrom('+', '-', '*'), tie('value')).map((parts) => `(${parts.join(' ')})`),
    fc.tuple(tie('value'), fc.integer({ min: 1, max: 9 })).map(([one, by]) => `(${one}) / ${by}`),
    tie('value').map((one) => `- ${one}`),
    tie('value').map((one) => `-(${one})`),
    fc.tuple(fc.constantFrom('floor', 'ceil'), tie('value')).map(([name, one]) => `Math.${name}(${one})`),
    fc
      .tuple(fc.constantFrom('min', 'max'), tie('value'), tie('value'))
      .map(([f, one, other]) => `Math.${f}(${one}, ${other})`),
    fc.tuple(tie('value'), tie('value')).map(([one, other]) => `weigh(${one}, ${other})`),
  ),
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .tuple(tie('value'), fc.constantFrom('<', '<=', '>', '>=', '===', '!=='), tie('value'))
      .map((parts) => parts.join(' ')),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map((parts) => parts.join(' ')),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map((parts) => `(${parts.join(' ')})`),
    tie('condition').map((one) => `!(${one})`),
    fc.tuple(tie('value'), tie('value')).map(([one, other]) => `isLess(${one}, ${other})`),
  ),
}));

const target = fc.constantFrom('sum', 'state.level', 'state.part', 'list[0]', 'list[list.length - 1]');

const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(target, fc.constantFrom('=', '+=', '-='), value).map((parts) => `${parts.join(' ')};`),
    fc
      .tuple(target, condition, value, value)
      .map(([one, test, then, other]) => `${one} = ${test} ? ${then} : ${other};`),
    fc.tuple(condition, tie('statement')).map(([test, then]) => `if (${test}) { ${then} }`),
    fc
      .tuple(condition, tie('statement'), tie('statement'))
      .map(([test, then, other]) => `if (${test}) { ${then} } else { ${other} }`),
    tie('statement').map((body) => `for (let i = 0; i < few; i += 1) { ${body} }`),
    value.map((one) => `list.push(${one});`),
    fc.constant('if (list.length > 2) { list.pop(); }'),
    fc.constant('if (list.length > 3) { list.splice(1, 2); }'),
    value.map((one) => `take(state, ${one});`),
  ),
}));

/** Sources of a function `run` of two numbers, with a loop, a list, an object, and functions that it calls. */
export const programs = fc.tuple(fc.array(statement, { minLength: 1, maxLength: 5 }), value, small).map(
  ([statements, result, few]) => `
function weigh(one: number, other: number) { return Math.max(one, other) - Math.floor(other / 3); }
function isLess(one: number, other: number) { return one < other; }
function take(state: { level: number; part: number }, units: number) {
  const before = state.level;
  state.level = Math.max(state.level - units, 0);
  state.part += before - state.level;
}
export function run(a: number, b: number) {
  const state = { level: a, part: b };
  const list = [a, b];
  const few = ${few} - 5;
  let sum = 0;
  ${statements.join('\n  ')}
  return Math.min(${result}, 1e12) + sum;
}`,
);

/** Without the sign of zero, and what is no number any more as nothing: numbers of limits are neither. */
export function withoutSigns(results: readonly number[]): number[] {
  return results.filter(Number.isFinite).map((one) => one + 0);
}
