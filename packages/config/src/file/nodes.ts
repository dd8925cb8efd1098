import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { MistakeList, Place } from './mistake-list.js';
import type { Path } from './path.js';

type MaybeNode = Node | null | undefined;

/**
 * Returns the plain value of a node. Whatever could surprise is a mistake: a name that stands twice, an alias, and a name that every
 * object of JavaScript has.
 */
export function plainValue(node: MaybeNode, mistakes: MistakeList, path: Path = []): unknown {
  if (isMap(node)) return plainMapping(node, mistakes, path);
  if (isSeq(node)) return node.items.map((item, i) => plainValue(item as MaybeNode, mistakes, [...path, i]));
  if (isScalar(node)) return node.value;
  if (isAlias(node))
    mistakes.add(path, 'must not be an alias: write the value here, too', { code: 'SLUICE_POLICY_FILE' });
  return null;
}

function plainMapping({ items }: YAMLMap, mistakes: MistakeList, path: Path): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null);
  const add = (name: string, rule: string) =>
    mistakes.add([...path, name], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  for (const { key, value } of items as Pair<MaybeNode, MaybeNode>[]) {
    const name = nameOf(key);
    if (name === undefined)
      mistakes.add(path, 'must have plain text as the names in it', { code: 'SLUICE_POLICY_FILE' });
    else if (isReserved(name)) add(name, RESERVED);
    else if (name in plain) add(name, TWICE);
    else plain[name] = plainValue(value, mistakes, [...path, name]);
  }
  return plain;
}

/** What is wrong with a reserved name. */
export const RESERVED = 'must have another name, because every object of JavaScript has this one';

/** What is wrong with a name that a mapping has already. */
export const TWICE = 'stands here twice: remove one of the two';

/** Whether every object of JavaScript has this name. */
export function isReserved(name: string): boolean {
  return name in Object.prototype;
}

/** Returns the text of a key as it is written: `007` and `null` are names like others. */
function nameOf(key: MaybeNode): string | undefined {
  if (!isScalar(key)) return undefined;
  const { source, value } = key;
  return typeof value === 'string' ? value : source;
}

/** Returns where a place of the document begins in the text: as near to it as the document goes. */
export function offsetOf(root: MaybeNode, path: Path, place: Place): number {
  let [node, key] = [root, undefined as MaybeNode];
  for (const [i, step] of path.entries()) {
    const isLast = i === path.length - 1;
    const found = child(node, step, isLast && place === 'key');
    if (found === undefined) return startOf(key ?? node);
    [key, node] = [found.key, found.value];
    if (isLast && place === 'key') return startOf(key ?? node);
  }
  return startOf(place === 'missing' || isEmpty(node) ? (key ?? node) : node);
}

function child(
  node: MaybeNode,
  step: string | number,
  isLastOfName: boolean,
): { key: MaybeNode; value: MaybeNode } | undefined {
  if (isSeq(node) && typeof step === 'number') {
    return step < node.items.length ? { key: undefined, value: node.items[step] as MaybeNode } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pairs = node.items as Pair<MaybeNode, MaybeNode>[];
  const has = ({ key }: Pair<MaybeNode, MaybeNode>) => nameOf(key) === String(step);
  return isLastOfName ? pairs.findLast(has) : pairs.find(has);
}

/** Whether nothing stands after the colon. */
function isEmpty(node: MaybeNode): boolean {
  return !node || (isScalar(node) && node.value === null && node.source === '');
}

function startOf(node: MaybeNode): number {
  return node?.range?.[0] ?? 0;
}
