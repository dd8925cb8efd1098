/** What kind of small mistake a change imitates. */
export type Operator =
  | 'comparison'
  | 'bound'
  | 'extreme'
  | 'rounding'
  | 'condition'
  | 'logic'
  | 'fallback'
  | 'arithmetic'
  | 'statement'
  | 'guard'
  | 'increment'
  | 'arguments'
  | 'returned value';

/** A part of a text: from `start` up to, but without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** One possible change of a source text. The parsers of both languages make these. */
export interface Change extends Range {
  readonly operator: Operator;
  /** Stands in the place of the range. */
  readonly replacement: string;
  /** What a reader has to see to understand the change: an expression or a statement around the range. */
  readonly shown: Range;
  /** The function around it, with what the function lies in: `Breaker.failed`. Empty outside of functions. */
  readonly within: string;
}

/** A change before its function is known. */
export type BareChange = Omit<Change, 'within'>;

/** Longer statements hold much more than one step: to omit one is no small mistake. */
export const LONGEST_OMITTED = 160;

/** Replaces a whole range and shows it. */
export function replaced(operator: Operator, range: Range, replacement: string): BareChange {
  const { start, end } = range;
  return { operator, start, end, replacement, shown: { start, end } };
}

/** Replaces an operator sign, which stands between two operands, if the sign can be found. */
export function signReplaced(
  operator: Operator,
  text: string,
  operation: { readonly shown: Range; readonly gap: Range; readonly sign: string },
  replacement: string,
): BareChange[] {
  const start = signIn(text, operation.gap, operation.sign);
  if (start === undefined) return [];
  const end = start + operation.sign.length;
  return [{ operator, start, end, replacement, shown: operation.shown }];
}

/** Where a sign stands in the text between two operands. Undefined where a comment could hold it, too. */
export function signIn(text: string, gap: Range, sign: string): number | undefined {
  const between = text.slice(gap.start, gap.end);
  const at = between.indexOf(sign);
  return at < 0 || /\/\/|\/\*|--/.test(between) ? undefined : gap.start + at;
}

/** Swaps what stands in two ranges of a text. */
export function swapped(text: string, first: Range, second: Range, shown: Range): BareChange[] {
  const [before, between, after] = [first, { start: first.end, end: second.start }, second].map(({ start, end }) =>
    text.slice(start, end),
  );
  if (before === after) return [];
  const range = { start: first.start, end: second.end };
  return [{ operator: 'arguments', ...range, replacement: `${after}${between}${before}`, shown }];
}

/** A whole number that is a bound becomes one more or one less. No bound becomes negative. */
export function boundChanges(text: string, range: Range, shown: Range): BareChange[] {
  const literal = text.slice(range.start, range.end);
  if (!/^\d[\d_]*$/.test(literal)) return [];
  const value = Number(literal.replaceAll('_', ''));
  if (!Number.isSafeInteger(value + 1)) return [];
  return (value === 0 ? [1] : [value + 1, value - 1]).map((other) => ({
    operator: 'bound',
    start: range.start,
    end: range.end,
    replacement: `${other}`,
    shown,
  }));
}

/** The names of functions that find an extreme or round, and which name makes each the opposite. */
const OPPOSITES: ReadonlyMap<string, readonly ['extreme' | 'rounding', string]> = new Map([
  ['min', ['extreme', 'max']],
  ['max', ['extreme', 'min']],
  ['floor', ['rounding', 'ceil']],
  ['ceil', ['rounding', 'floor']],
]);

/** Changes the name of a function into its opposite, such as `min` into `max`. */
export function oppositeChanges(text: string, name: Range, shown: Range): BareChange[] {
  const [operator, replacement] = OPPOSITES.get(text.slice(name.start, name.end)) ?? [];
  if (operator === undefined || replacement === undefined) return [];
  return [{ operator, start: name.start, end: name.end, replacement, shown }];
}

/** Functions that give the same for swapped arguments. */
const SYMMETRIC: readonly string[] = ['min', 'max', 'imul', 'is', 'hypot'];

export const isSymmetric = (name: string): boolean => SYMMETRIC.includes(name);
