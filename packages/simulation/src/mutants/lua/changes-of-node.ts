import type { AssignmentStatement, CallExpression, Expression, IfStatement, Node, ReturnStatement } from 'luaparse';
import {
  type BareChange,
  boundChanges,
  isSymmetric,
  LONGEST_OMITTED,
  oppositeChanges,
  type Range,
  replaced,
  signReplaced,
  swapped,
} from '../change.js';
import { rangeOf, textOf } from './range-of.js';

type Operation = Extract<Node, { readonly type: 'BinaryExpression' | 'LogicalExpression' }>;

/** A statement that does nothing: Lua 5.1 has no shorter one. */
const NOTHING = 'do end';

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '~=',
  '~=': '==',
};

const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+' };

/** Each change that an operator makes of a node itself. Those of its parts are the parts' own. */
export function changesOfNode(text: string, node: Node, parent: Node | undefined): BareChange[] {
  switch (node.type) {
    case 'BinaryExpression':
      return operationChanges(text, node);
    case 'LogicalExpression':
      return logicChanges(text, node, parent);
    case 'NumericLiteral':
      return parent !== undefined && isBound(parent) ? boundChanges(text, rangeOf(node), shownOf(node, parent)) : [];
    case 'CallExpression':
      return callChanges(text, node);
    case 'IfStatement':
      return ifChanges(text, node);
    case 'WhileStatement':
      // A loop without an end tells nothing that a loop without a turn does not tell sooner.
      return conditionChanges(text, node.condition, ['false']);
    case 'CallStatement':
      return isShort(node) ? [replaced('statement', rangeOf(node), NOTHING)] : [];
    case 'AssignmentStatement':
      return assignmentChanges(text, node);
    case 'ReturnStatement':
      return returnChanges(node);
    default:
      return [];
  }
}

function operationChanges(text: string, node: Operation): BareChange[] {
  const operation = operationOf(node);
  const compared = COMPARISONS[node.operator];
  if (compared !== undefined) return signReplaced('comparison', text, operation, compared);
  const computed = ARITHMETIC[node.operator];
  return computed === undefined ? [] : signReplaced('arithmetic', text, operation, computed);
}

function logicChanges(text: string, node: Operation, parent: Node | undefined): BareChange[] {
  const operation = operationOf(node);
  const logic = signReplaced('logic', text, operation, node.operator === 'and' ? 'or' : 'and');
  // The `or` of a condition chooses nothing that is used.
  if (node.operator !== 'or' || parent === undefined || isCondition(parent)) return logic;
  const fallback = signReplaced('fallback', text, operation, '');
  return [...logic, ...fallback.map((change) => ({ ...change, end: rangeOf(node).end }))];
}

const isCondition = ({ type }: Node): boolean =>
  ['IfClause', 'ElseifClause', 'WhileStatement', 'RepeatStatement', 'LogicalExpression', 'UnaryExpression'].includes(
    type,
  );

const operationOf = (node: Operation) => ({
  shown: rangeOf(node),
  gap: { start: rangeOf(node.left).end, end: rangeOf(node.right).start },
  sign: node.operator,
});

/** Whether a number stands where one more or one less would be a likely mistake. */
function isBound(parent: Node): boolean {
  switch (parent.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'LocalStatement':
    case 'AssignmentStatement':
    case 'ForNumericStatement':
    case 'ReturnStatement':
    case 'CallExpression':
    case 'IndexExpression':
      return true;
    default:
      return false;
  }
}

/** A loop is shown up to its number, not with what it does. */
function shownOf(node: Node, parent: Node): Range {
  return parent.type === 'ForNumericStatement'
    ? { start: rangeOf(parent).start, end: rangeOf(node).end }
    : rangeOf(parent);
}

function callChanges(text: string, node: CallExpression): BareChange[] {
  const name = node.base.type === 'MemberExpression' ? node.base.identifier : node.base;
  const shown = rangeOf(node);
  const opposite = name.type === 'Identifier' ? oppositeChanges(text, rangeOf(name), shown) : [];
  if (name.type === 'Identifier' && isSymmetric(name.name)) return opposite;
  const swaps = node.arguments.slice(1).flatMap((second, i) => {
    const first = node.arguments[i];
    return first && isSwappable(first) && isSwappable(second)
      ? swapped(text, rangeOf(first), rangeOf(second), shown)
      : [];
  });
  return [...opposite, ...swaps];
}

/** Arguments that a writer could take for one another. */
const isSwappable = ({ type }: Node): boolean =>
  [
    'Identifier',
    'MemberExpression',
    'IndexExpression',
    'NumericLiteral',
    'BinaryExpression',
    'LogicalExpression',
    'CallExpression',
  ].includes(type);

function ifChanges(text: string, node: IfStatement): BareChange[] {
  const [first, ...others] = node.clauses;
  const leaves = ['ReturnStatement', 'BreakStatement'].includes(first?.body[0]?.type ?? '');
  const isGuard = leaves && others.length === 0 && isShort(node);
  const guard = isGuard ? [replaced('guard', rangeOf(node), NOTHING)] : [];
  return [
    ...guard,
    ...node.clauses.flatMap((clause) =>
      clause.type === 'ElseClause'
        ? []
        : // Without its guard the rest runs always, as it would under `false`.
          conditionChanges(text, clause.condition, isGuard ? ['negated', 'true'] : ['negated', 'true', 'false']),
    ),
  ];
}

type Condition = 'negated' | 'true' | 'false';

function conditionChanges(text: string, condition: Expression, kinds: readonly Condition[]): BareChange[] {
  if (condition.type === 'BooleanLiteral') return [];
  return kinds.map((kind) =>
    replaced('condition', rangeOf(condition), kind === 'negated' ? negated(text, condition) : kind),
  );
}

function negated(text: string, condition: Expression): string {
  const isNegation = condition.type === 'UnaryExpression' && condition.operator === 'not';
  return isNegation ? textOf(text, condition.argument) : `not (${textOf(text, condition)})`;
}

function assignmentChanges(text: string, node: AssignmentStatement): BareChange[] {
  if (!isShort(node) || node.init.some(({ type }) => type === 'FunctionDeclaration')) return [];
  return [replaced(isStep(text, node) ? 'increment' : 'statement', rangeOf(node), NOTHING)];
}

/** `n = n + 1` and the like. */
function isStep(text: string, { variables: [variable], init: [value] }: AssignmentStatement): boolean {
  return (
    variable !== undefined &&
    value?.type === 'BinaryExpression' &&
    value.operator in ARITHMETIC &&
    textOf(text, value.left) === textOf(text, variable)
  );
}

function returnChanges(node: ReturnStatement): BareChange[] {
  return node.arguments.flatMap((value) => {
    switch (value.type) {
      case 'BooleanLiteral':
        return [replaced('returned value', rangeOf(value), `${!value.value}`)];
      case 'NilLiteral':
      case 'FunctionDeclaration':
      case 'TableConstructorExpression':
        return [];
      default:
        return node.arguments.length === 1 ? [replaced('returned value', rangeOf(value), 'nil')] : [];
    }
  });
}

function isShort(node: Node): boolean {
  const { start, end } = rangeOf(node);
  return end - start <= LONGEST_OMITTED;
}
