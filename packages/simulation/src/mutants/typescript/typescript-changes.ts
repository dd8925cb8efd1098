import { parse } from '@babel/parser';
import type { Node } from '@babel/types';
import type { Change } from '../change.js';
import { changesOfNode } from './changes-of-node.js';

/** Where a node stands. */
interface Place {
  readonly parent: Node | undefined;
  readonly within: string;
}

/** Nodes around expressions that only tell the compiler about their types. */
const TYPE_WRAPPERS: readonly string[] = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'];

/** Never run, or read by people alone. What a `throw` throws is an error's text. */
const LEFT_OUT: readonly string[] = [
  'ImportDeclaration',
  'ExportAllDeclaration',
  'Decorator',
  'ThrowStatement',
  'ClassProperty',
  'ClassPrivateProperty',
];

/**
 * All small changes of a TypeScript file that the operators know, in the order of the text.
 *
 * @throws SyntaxError if it is not TypeScript
 */
export function typescriptChanges(text: string): Change[] {
  const changes: Change[] = [];
  const visit = (node: Node, { parent, within }: Place): void => {
    if (isLeftOut(node)) return;
    const inner = [within, nameOf(node, parent)].filter(Boolean).join('.');
    for (const change of changesOfNode(text, node, parent)) changes.push({ ...change, within: inner });
    for (const child of childrenOf(node)) visit(child, { parent: node, within: inner });
  };
  visit(parse(text, { sourceType: 'module', plugins: ['typescript'], attachComment: false }).program, {
    parent: undefined,
    within: '',
  });
  return changes.toSorted((a, b) => a.start - b.start);
}

function isLeftOut(node: Node): boolean {
  if (node.type === 'ClassProperty' || node.type === 'ClassPrivateProperty') return !isFunction(node.value);
  if (node.type === 'NewExpression') return node.callee.type === 'Identifier' && node.callee.name.endsWith('Error');
  return LEFT_OUT.includes(node.type) || (node.type.startsWith('TS') && !TYPE_WRAPPERS.includes(node.type));
}

const isFunction = (node: Node | null | undefined): boolean =>
  node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';

/** The name that a class or a function gives what is inside. Functions without one belong to those around them. */
function nameOf(node: Node, parent: Node | undefined): string {
  switch (node.type) {
    case 'ClassDeclaration':
    case 'FunctionDeclaration':
      return node.id?.name ?? 'default';
    case 'ClassMethod':
    case 'ClassPrivateMethod':
    case 'ObjectMethod':
      return keyOf(node.key);
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return parent === undefined ? '' : nameFrom(parent);
    default:
      return '';
  }
}

/** The name that a declaration or a property gives the function which is its value. */
function nameFrom(parent: Node): string {
  switch (parent.type) {
    case 'VariableDeclarator':
      return keyOf(parent.id);
    case 'ObjectProperty':
    case 'ClassProperty':
    case 'ClassPrivateProperty':
      return keyOf(parent.key);
    default:
      return '';
  }
}

function keyOf(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'PrivateName') return `#${node.id.name}`;
  return node.type === 'StringLiteral' ? node.value : '';
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value: unknown) => value)
    .filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}
