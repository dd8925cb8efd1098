import { BASE_KINDS, childrenOf, FRONT_KINDS, type FrontKind, type StoreTree } from '../../src/tape/nesting.js';

const BASES: readonly StoreTree[] = BASE_KINDS.map((kind) => ({ kind }));
const PAIRS = inFrontOf(BASES);

/** Every store, every pair, and every triple, whether it can be made or not. */
export const TREES: readonly StoreTree[] = [...BASES, ...PAIRS, ...inFrontOf(PAIRS)];

function inFrontOf(trees: readonly StoreTree[]): readonly StoreTree[] {
  return FRONT_KINDS.flatMap((kind) => trees.map((tree) => frontOf(kind, tree)));
}

/** Returns a store in front of this one. A sharded store has two nodes alike. */
export function frontOf(kind: FrontKind, tree: StoreTree): StoreTree {
  return kind === 'sharded' ? { kind, nodes: [tree, tree] } : { kind, of: tree };
}

/** Returns the stores that count by themselves. */
export function basesOf(tree: StoreTree): readonly StoreTree[] {
  const behind = childrenOf(tree);
  return behind.length === 0 ? [tree] : behind.flatMap(basesOf);
}

function named(tree: StoreTree): string {
  if ('of' in tree) return `${tree.kind}(${named(tree.of)})`;
  return 'nodes' in tree ? `${tree.kind}(${tree.nodes.map(named).join(', ')})` : tree.kind;
}

/** The trees with their names, for titles of tests. */
export const listed = (trees: readonly StoreTree[]) => trees.map((tree) => [named(tree), tree] as const);
