import type { BlockOrder, BlockRange, Blocks, FoundBlock, ListedBlock } from '@sluice/core/src/stores/blocks';
import type { Target } from '@sluice/core/src/stores/store';

/** Makes a change, after which nothing that was known of these targets counts any more. */
export type Changing = <T>(targets: readonly Target[], change: () => T | Promise<T>) => Promise<T>;

/**
 * The blocks of a store in front of another one, which counts units of its own. Before a block is set, it gives up what it
 * has of the key, so that this process sees the block at once.
 */
export class BlocksInFront implements Blocks<true> {
  readonly #blocks: Blocks<boolean>;
  readonly #changing: Changing;

  constructor(blocks: Blocks<boolean>, changing: Changing) {
    this.#blocks = blocks;
    this.#changing = changing;
  }

  block(order: BlockOrder): Promise<void> {
    return this.#changing(order.targets, () => this.#blocks.block(order));
  }

  unblock(targets: readonly Target[]): Promise<boolean> {
    return this.#changing(targets, () => this.#blocks.unblock(targets));
  }

  async find(targets: readonly Target[]): Promise<FoundBlock | undefined> {
    return this.#blocks.find(targets);
  }

  async list(policy: string, range: BlockRange): Promise<readonly ListedBlock[]> {
    return this.#blocks.list(policy, range);
  }
}
