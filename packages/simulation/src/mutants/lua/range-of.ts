import type { Node } from 'luaparse';
import type { Range } from '../change.js';

/** Where a node stands in its text. The parser says it, but its types do not. */
export function rangeOf(node: Node): Range {
  const range: unknown = 'range' in node ? node.range : undefined;
  const [start, end]: readonly unknown[] = Array.isArray(range) ? range : [];
  if (typeof start !== 'number' || typeof end !== 'number') throw new Error(`A ${node.type} has no place in the text`);
  return { start, end };
}

export function textOf(text: string, node: Node): string {
  const { start, end } = rangeOf(node);
  return text.slice(start, end);
}
