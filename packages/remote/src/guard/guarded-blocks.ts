import type { BlockOrder, BlockRange, Blocks, FoundBlock, ListedBlock } from '@sluice/core/src/stores/blocks';
import type { Target } from '@sluice/core/src/stores/store';

/** Runs a call about a target as other calls of a store are run. */
type Run = <T>(call: () => Promise<T>, target: Target | undefined) => Promise<T>;

/** Makes a change of these targets. */
type Changing = <T>(targets: readonly Target[], change: Promise<T>) => Promise<T>;

/** The blocks of a store whose calls have a deadline, and whose responses may be remembered. */
export class GuardedBlocks implements Blocks<true> {
  readonly #blocks: Blocks<true>;
  readonly #run: Run;
  readonly #changing: Changing;

  constructor(blocks: Blocks<true>, run: Run, changing: Changing) {
    this.#blocks = blocks;
    this.#run = run;
    this.#changing = changing;
  }

  block(order: BlockOrder): Promise<void> {
    return this.#changing(
      order.targets,
      this.#run(() => this.#blocks.block(order), order.targets[0]),
    );
  }

  unblock(targets: readonly Target[]): Promise<boolean> {
    return this.#changing(
      targets,
      this.#run(() => this.#blocks.unblock(targets), targets[0]),
    );
  }

  find(targets: readonly Target[]): Promise<FoundBlock | undefined> {
    return this.#run(() => this.#blocks.find(targets), targets[0]);
  }

  /** A list belongs to a policy, so its place is that of a key with the policy's name. */
  list(policy: string, range: BlockRange): Promise<readonly ListedBlock[]> {
    return this.#run(() => this.#blocks.list(policy, range), { policy, name: '', key: policy });
  }
}
