import {
  type BlockOrder,
  type BlockRange,
  type Blocks,
  blocksIn,
  type FoundBlock,
  type ListedBlock,
} from '@sluice/core/src/stores/blocks';
import type { Target } from '@sluice/core/src/stores/store';

/** The blocks of several stores, each of which has all keys of some subjects. */
export class ShardedBlocks implements Blocks<true> {
  readonly #nodes: readonly Blocks<boolean>[];
  readonly #nodeOf: (key: string) => Blocks<boolean>;

  constructor(nodes: readonly Blocks<boolean>[], nodeOf: (key: string) => Blocks<boolean>) {
    this.#nodes = nodes;
    this.#nodeOf = nodeOf;
  }

  async block(order: BlockOrder): Promise<void> {
    const [first] = order.targets;
    if (first) await this.#nodeOf(first.key).block(order);
  }

  async unblock(targets: readonly Target[]): Promise<boolean> {
    const [first] = targets;
    return first !== undefined && (await this.#nodeOf(first.key).unblock(targets));
  }

  async find(targets: readonly Target[]): Promise<FoundBlock | undefined> {
    const [first] = targets;
    return first && (await this.#nodeOf(first.key).find(targets));
  }

  /** Each node has a list of its own. The first entries of all are among the first of each. */
  async list(policy: string, range: BlockRange): Promise<readonly ListedBlock[]> {
    const lists = await Promise.all(this.#nodes.map((node) => node.list(policy, range)));
    return blocksIn(lists.flat(), range);
  }
}
