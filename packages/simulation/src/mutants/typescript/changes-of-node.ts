import type { Expression, Node, Statement } from '@babel/types';
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

type NodeOf<Type extends Node['type']> = Extract<Node, { readonly type: Type }>;

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '+=': '-=', '-=': '+=' };

/** Each change that an operator makes of a node itself. Those of its parts are the parts' own. */
export function changesOfNode(text: string, node: Node, parent: Node | undefined): BareChange[] {
  switch (node.type) {
    case 'BinaryExpression':
      return operationChanges(text, node);
    case 'LogicalExpression':
      return logicChanges(text, node);
    case 'AssignmentExpression':
      // A loop that steps back does not end.
      return parent?.type === 'ForStatement' ? [] : assignmentChanges(text, node);
    case 'NumericLiteral':
      return parent !== undefined && isBound(node, parent) ? boundChanges(text, rangeOf(node), rangeOf(parent)) : [];
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression':
      return callChanges(text, node);
    case 'IfStatement':
      return ifChanges(text, node);
    case 'ConditionalExpression':
      return conditionChanges(text, node.test, ['negated', 'true', 'false']);
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      // A loop without an end tells nothing that a loop without a turn does not tell sooner.
      return node.test ? conditionChanges(text, node.test, ['false']) : [];
    case 'ExpressionStatement':
      return statementChanges(text, node, parent);
    case 'ReturnStatement':
      return node.argument ? returnChanges(node.argument) : [];
    case 'ArrowFunctionExpression':
      return node.body.type === 'BlockStatement' ? [] : returnChanges(node.body);
    default:
      return [];
  }
}

function operationChanges(text: string, node: NodeOf<'BinaryExpression'>): BareChange[] {
  const { operator: sign, left, right } = node;
  const operation = { shown: rangeOf(node), gap: between(left, right), sign };
  const compared = COMPARISONS[sign];
  if (compared !== undefined) return signReplaced('comparison', text, operation, compared);
  const computed = ARITHMETIC[sign];
  return computed === undefined || isText(node) ? [] : signReplaced('arithmetic', text, operation, computed);
}

/** Whether a sum joins texts, as far as its parts show. */
function isText(node: Node): boolean {
  if (node.type === 'BinaryExpression') return isText(node.left) || isText(node.right);
  return node.type === 'StringLiteral' || node.type === 'TemplateLiteral';
}

function logicChanges(text: string, node: NodeOf<'LogicalExpression'>): BareChange[] {
  const { operator: sign, left, right } = node;
  const operation = { shown: rangeOf(node), gap: between(left, right), sign };
  if (sign !== '??') return signReplaced('logic', text, operation, sign === '&&' ? '||' : '&&');
  return signReplaced('fallback', text, operation, '').map((change) => ({ ...change, end: rangeOf(node).end }));
}

function assignmentChanges(text: string, node: NodeOf<'AssignmentExpression'>): BareChange[] {
  const { operator: sign, left, right } = node;
  const computed = ARITHMETIC[sign];
  if (computed === undefined || isText(right)) return [];
  return signReplaced('arithmetic', text, { shown: rangeOf(node), gap: between(left, right), sign }, computed);
}

/** Whether a number stands where one more or one less would be a likely mistake. */
function isBound(node: NodeOf<'NumericLiteral'>, parent: Node): boolean {
  switch (parent.type) {
    case 'BinaryExpression':
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ReturnStatement':
    case 'VariableDeclarator':
    case 'CallExpression':
    case 'ConditionalExpression':
    case 'LogicalExpression':
      return true;
    case 'MemberExpression':
      return parent.property === node;
    case 'ArrowFunctionExpression':
      return parent.body === node;
    default:
      return false;
  }
}

function callChanges(text: string, node: NodeOf<'CallExpression' | 'OptionalCallExpression' | 'NewExpression'>) {
  const name = nameOfCallee(node.callee);
  const shown = rangeOf(node);
  const opposite = name === undefined ? [] : oppositeChanges(text, rangeOf(name), shown);
  if (name !== undefined && isSymmetric(name.name)) return opposite;
  const swaps = node.arguments.slice(1).flatMap((second, i) => {
    const first = node.arguments[i];
    return first && isSwappable(first) && isSwappable(second)
      ? swapped(text, rangeOf(first), rangeOf(second), shown)
      : [];
  });
  return [...opposite, ...swaps];
}

function nameOfCallee(callee: Node): NodeOf<'Identifier'> | undefined {
  const name = callee.type === 'MemberExpression' && !callee.computed ? callee.property : callee;
  return name.type === 'Identifier' ? name : undefined;
}

/** Arguments that a writer could take for one another. */
function isSwappable({ type }: Node): boolean {
  return (
    type === 'Identifier' ||
    type === 'MemberExpression' ||
    type === 'OptionalMemberExpression' ||
    type === 'NumericLiteral' ||
    type === 'BinaryExpression' ||
    type === 'CallExpression' ||
    type === 'ThisExpression'
  );
}

function ifChanges(text: string, node: NodeOf<'IfStatement'>): BareChange[] {
  const only = onlyStatement(node.consequent);
  // To throw always shows at once.
  if (only?.type === 'ThrowStatement') return conditionChanges(text, node.test, ['negated', 'false']);
  const leaves = ['ReturnStatement', 'ContinueStatement', 'BreakStatement'].includes(only?.type ?? '');
  if (!leaves || node.alternate) return conditionChanges(text, node.test, ['negated', 'true', 'false']);
  // Without its guard the rest runs always, as it would under `false`.
  return [
    ...(isShort(node) ? [replaced('guard', rangeOf(node), ';')] : []),
    ...conditionChanges(text, node.test, isShort(node) ? ['negated', 'true'] : ['negated', 'true', 'false']),
  ];
}

function onlyStatement(statement: Statement): Statement | undefined {
  if (statement.type !== 'BlockStatement') return statement;
  return statement.body.length === 1 ? statement.body[0] : undefined;
}

type Condition = 'negated' | 'true' | 'false';

function conditionChanges(text: string, test: Expression, kinds: readonly Condition[]): BareChange[] {
  if (test.type === 'BooleanLiteral') return [];
  return kinds.map((kind) => replaced('condition', rangeOf(test), kind === 'negated' ? negated(text, test) : kind));
}

function negated(text: string, test: Expression): string {
  const isNegation = test.type === 'UnaryExpression' && test.operator === '!';
  return isNegation ? textOf(text, test.argument) : `!(${textOf(text, test)})`;
}

function statementChanges(text: string, node: NodeOf<'ExpressionStatement'>, parent: Node | undefined): BareChange[] {
  const { expression } = node;
  if (!isShort(node) || parent?.type === 'Program') return [];
  if (expression.type === 'UpdateExpression' || isStep(expression)) return [replaced('increment', rangeOf(node), ';')];
  return isOmittable(text, expression) ? [replaced('statement', rangeOf(node), ';')] : [];
}

const isStep = (node: Node): boolean => node.type === 'AssignmentExpression' && ['+=', '-='].includes(node.operator);

function isOmittable(text: string, node: Expression): boolean {
  switch (node.type) {
    case 'AwaitExpression':
      return isOmittable(text, node.argument);
    case 'CallExpression':
      return node.callee.type !== 'Super';
    case 'OptionalCallExpression':
      return true;
    case 'UnaryExpression':
      return node.operator === 'delete';
    case 'AssignmentExpression':
      return !keepsArgument(text, node);
    default:
      return false;
  }
}

/** `this.x = x`, as constructors keep what they are given. Nothing works without it. */
function keepsArgument(text: string, { left, right }: NodeOf<'AssignmentExpression'>): boolean {
  if (left.type !== 'MemberExpression' || left.object.type !== 'ThisExpression') return false;
  return right.type === 'Identifier' && textOf(text, left.property).replace('#', '') === right.name;
}

function returnChanges(value: Expression): BareChange[] {
  switch (value.type) {
    case 'BooleanLiteral':
      return [replaced('returned value', rangeOf(value), `${!value.value}`)];
    case 'NullLiteral':
    case 'ObjectExpression':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return [];
    default:
      return isUndefined(value) ? [] : [replaced('returned value', rangeOf(value), 'undefined')];
  }
}

const isUndefined = (node: Node): boolean =>
  (node.type === 'Identifier' && node.name === 'undefined') ||
  (node.type === 'UnaryExpression' && node.operator === 'void');

function isShort(node: Node): boolean {
  const { start, end } = rangeOf(node);
  return end - start <= LONGEST_OMITTED;
}

/** Every node that was parsed has a range. */
function rangeOf({ start, end, type }: Node): Range {
  if (typeof start !== 'number' || typeof end !== 'number') throw new Error(`A ${type} has no place in the text`);
  return { start, end };
}

function textOf(text: string, node: Node): string {
  const { start, end } = rangeOf(node);
  return text.slice(start, end);
}

const between = (left: Node, right: Node): Range => ({ start: rangeOf(left).end, end: rangeOf(right).start });
