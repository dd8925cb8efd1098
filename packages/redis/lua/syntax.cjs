// The subset of TypeScript that becomes Lua, and questions about its tree, which is that of Babel's parser. Used by both translations:
// translation.cjs, which writes functions, and inliner.cjs, which writes out what functions do.
// Why it is so: core/docs/why/one-arithmetic.md

/** The functions of Math, by the most arguments. */
const MATH = new Map([
  ['floor', 1],
  ['ceil', 1],
  ['min', Number.POSITIVE_INFINITY],
  ['max', Number.POSITIVE_INFINITY],
]);
/** How many arguments the methods of lists take. */
const LIST_METHODS = new Map([
  ['push', 1],
  ['pop', 0],
  ['splice', 2],
  ['sort', 1],
]);
const ARITHMETIC = new Set(['+', '-', '*', '/']);
/** The comparisons, and what Lua has in their place. */
const COMPARISONS = { '===': '==', '!==': '~=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

/** Names of what is true or false. In Lua, 0 and '' are true, so nothing else may stand as a condition. */
const OF_CONDITIONS = /^(is|has|holds)([A-Z]|$)/;
const CONDITION_RULE = 'a condition is a comparison, or has a name such as isFull or hasRoom';

/** An error that says where a source leaves the subset. */
function outside(file, node, why = `${node.type} has no translation`) {
  const { line, column } = node.loc.start;
  return new Error(`${file}:${line}:${column + 1}: ${why}. Write it in the subset that lua/arithmetic.cjs translates.`);
}

/** Without what only the compiler reads. */
function bare(node) {
  const isWrapper =
    node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression' || node.type === 'ParenthesizedExpression';
  return isWrapper ? bare(node.expression) : node;
}

/** Whether a node says by itself that something holds: it is a comparison, or made of conditions. */
function isCondition({ type, operator }) {
  if (type === 'BinaryExpression') return Object.hasOwn(COMPARISONS, operator);
  return type === 'LogicalExpression' || (type === 'UnaryExpression' && operator === '!');
}

/** Whether this is a comparison by which `sort` sorts as Lua does. */
function isByNumber(node) {
  if (node?.type !== 'ArrowFunctionExpression' || node.params.length !== 2) return false;
  const { type, operator, left, right } = node.body;
  const [one, other] = node.params;
  return type === 'BinaryExpression' && operator === '-' && left.name === one.name && right.name === other.name;
}

/** Whether Lua reads a number or a text as JavaScript does. */
function isPlain({ type, value }) {
  return type === 'StringLiteral' ? /^[\w -]*$/.test(value) : type !== 'NumericLiteral' || Number.isFinite(value);
}

/** The names that are assigned in a part of a function. */
function assignedIn(node, found = new Set()) {
  if (Array.isArray(node)) for (const one of node) assignedIn(one, found);
  else if (node && typeof node.type === 'string') {
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') found.add(node.left.name);
    for (const [key, child] of Object.entries(node)) {
      if (key !== 'loc' && key !== 'update' && child && typeof child === 'object') assignedIn(child, found);
    }
  }
  return found;
}

/** Shows each node of a part of a function. */
function walk(node, visit) {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  else if (node && typeof node.type === 'string') {
    visit(node);
    for (const [key, child] of Object.entries(node))
      if (key !== 'loc' && child && typeof child === 'object') walk(child, visit);
  }
}

/** The statements of a block, or of what stands without one; none for nothing. */
const statementsOf = (node) => (node?.type === 'BlockStatement' ? node.body : node ? [node] : []);

/** Whether a function is called, and no method. */
const isCallOfFunction = ({ type, callee }) => type === 'CallExpression' && callee.type === 'Identifier';

/** Whether a part of a function returns somewhere. */
function hasReturn(node) {
  let isFound = false;
  walk(node, ({ type }) => {
    if (type === 'ReturnStatement') isFound = true;
  });
  return isFound;
}

/** Whether statements return on every way through them. */
function alwaysReturns(statements) {
  const last = statements.at(-1);
  if (last?.type !== 'IfStatement') return last?.type === 'ReturnStatement';
  return alwaysReturns(statementsOf(last.consequent)) && alwaysReturns(statementsOf(last.alternate));
}

module.exports = {
  ARITHMETIC,
  COMPARISONS,
  CONDITION_RULE,
  LIST_METHODS,
  MATH,
  OF_CONDITIONS,
  alwaysReturns,
  assignedIn,
  bare,
  hasReturn,
  isByNumber,
  isCallOfFunction,
  isCondition,
  isPlain,
  outside,
  statementsOf,
  walk,
};
