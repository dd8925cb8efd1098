import { type Node, parse } from 'luaparse';
import type { Change } from '../change.js';
import { changesOfNode } from './changes-of-node.js';
import { textOf } from './range-of.js';

/** Where a node stands. */
interface Place {
  readonly parent: Node | undefined;
  readonly within: string;
}

/**
 * All small changes of a Lua file that the operators know, in the order of the text. Words that the build replaces by numbers, such as
 * `NEVER`, are names here.
 *
 * @throws SyntaxError if it is not Lua 5.1
 */
export function luaChanges(text: string): Change[] {
  const changes: Change[] = [];
  const visit = (node: Node, { parent, within }: Place): void => {
    const inner = [within, nameOf(text, node, parent)].filter(Boolean).join('.');
    for (const change of changesOfNode(text, node, parent)) changes.push({ ...change, within: inner });
    for (const child of childrenOf(node)) visit(child, { parent: node, within: inner });
  };
  visit(parse(text, { ranges: true, comments: false, luaVersion: '5.1' }), { parent: undefined, within: '' });
  return changes.toSorted((a, b) => a.start - b.start);
}

/** The name of a function: its own, that of its field, or that of the place which it is assigned to. */
function nameOf(text: string, node: Node, parent: Node | undefined): string {
  if (node.type !== 'FunctionDeclaration') return '';
  if (node.identifier) return textOf(text, node.identifier);
  if (parent?.type === 'TableKeyString') return parent.key.name;
  const isAssigned = parent?.type === 'AssignmentStatement' || parent?.type === 'LocalStatement';
  const target = isAssigned ? parent.variables[parent.init.indexOf(node)] : undefined;
  return target ? textOf(text, target) : '';
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value: unknown) => value)
    .filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'range' in value;
}
