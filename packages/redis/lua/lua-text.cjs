// Values and conditions of Lua as texts, and what can be said of them before Lua runs. An atom is a constant or a variable, so that it may be
// written more than once without being computed more than once.

const { COMPARISONS } = require('./syntax.cjs');

const WORDS_OF_LUA = new Set(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);
/** The comparison that holds if this one does not. */
const OPPOSITES = { '==': '~=', '~=': '==', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

/** Whether a text is a number. A negative one is in parentheses. */
const isNumber = (text) => /^\(?-?[\d.]+\)?$/.test(text);
const isConstant = (text) =>
  text === 'true' || text === 'false' || text === 'nil' || isNumber(text) || /^'[^']*'$/.test(text);
const isAtom = (text) => isConstant(text) || /^[\w.]+$/.test(text);
/** The number in a text, and the text of a number. */
const numberIn = (text) => Number(text.replace(/[()]/g, ''));
const textOf = (number) => (number < 0 ? `(${number})` : String(number));

/** Two signs in a row would begin a comment. */
const minus = (text) => (text.startsWith('-') ? `-(${text})` : `-${text}`);

/** A constant, as Lua has it. 'never' is a number there. */
function literal({ type, value }) {
  if (type !== 'StringLiteral') return String(value);
  return value === 'never' ? 'NEVER' : `'${value}'`;
}

/** The condition that holds if this one does not. */
function negated(condition) {
  if (condition === 'true' || condition === 'false') return String(condition === 'false');
  return condition.startsWith('not ') ? condition.slice('not '.length) : `not ${condition}`;
}

/** A comparison, decided if both sides are constants, or the same variable. */
function compared(operator, left, right) {
  if (left === right && isAtom(left)) return String(!['<', '>', '!=='].includes(operator));
  if (!isConstant(left) || !isConstant(right)) return `(${left} ${COMPARISONS[operator]} ${right})`;
  if (operator === '===') return 'false';
  if (operator === '!==') return 'true';
  const [a, b] = [numberIn(left), numberIn(right)];
  return String({ '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b }[operator]);
}

/** A sum, difference, product or quotient: its value, if both numbers are known, and as few signs as it needs. */
function computed(operator, left, right) {
  if (isNumber(left) && isNumber(right)) {
    const [a, b] = [numberIn(left), numberIn(right)];
    return textOf({ '+': a + b, '-': a - b, '*': a * b, '/': a / b }[operator]);
  }
  if (right === '0' && (operator === '+' || operator === '-')) return left;
  if (operator === '-' && left === '0') return minus(right);
  // What is taken from a variable, and added again: `list[i - 1 + 1]`.
  const [, variable, taken] = /^\((.+) - (\d+)\)$/.exec(left) ?? [];
  if (operator === '+' && taken !== undefined && taken === right && !variable.includes(' ')) return variable;
  return `(${left} ${operator} ${right})`;
}

module.exports = {
  OPPOSITES,
  WORDS_OF_LUA,
  compared,
  computed,
  isAtom,
  isConstant,
  isNumber,
  literal,
  minus,
  negated,
  numberIn,
  textOf,
};
