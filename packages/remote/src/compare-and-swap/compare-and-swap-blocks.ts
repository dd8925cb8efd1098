import {
  type BegunBlock,
  type BlockOrder,
  type BlockRange,
  type Blocks,
  blocksIn,
  type FoundBlock,
  fullError,
  type ListedBlock,
} from '@sluice/core/src/stores/blocks';
import type { Target } from '@sluice/core/src/stores/store';
import { RunningPromises } from '../guard/running-promises.js';
import {
  begunOperation,
  blockOperation,
  findOperation,
  listOperation,
  sweepOperation,
  unblockOperation,
  unlistOperation,
} from './block-operations.js';
import type { Operation } from './operations.js';

/** The blocks of a store that compares and swaps. Each call is one operation, like a decision. */
export class CompareAndSwapBlocks implements Blocks<true> {
  readonly #make: <T>(operation: Operation<T>) => Promise<T>;
  readonly #isPassedClock: boolean;
  /** Writes to lists that nobody waits for. */
  readonly #writing = new RunningPromises();

  constructor(make: <T>(operation: Operation<T>) => Promise<T>, isPassedClock: boolean) {
    this.#make = make;
    this.#isPassedClock = isPassedClock;
  }

  async block(order: BlockOrder): Promise<void> {
    const [first] = order.targets;
    if (!first || (await this.#make(blockOperation(order, this.#isPassedClock)))) return;
    // Blocks that have ended are counted until somebody needs their room.
    await this.#make(sweepOperation(first.policy));
    if (!(await this.#make(blockOperation(order, this.#isPassedClock)))) throw fullError(first.policy);
  }

  async unblock(targets: readonly Target[]): Promise<boolean> {
    return targets.length > 0 && this.#make(unblockOperation(targets, this.#isPassedClock));
  }

  async find(targets: readonly Target[]): Promise<FoundBlock | undefined> {
    return targets.length > 0 ? this.#make(findOperation(targets)) : undefined;
  }

  async list(policy: string, range: BlockRange): Promise<readonly ListedBlock[]> {
    await this.#writing.ended();
    return blocksIn(await this.#make(listOperation(policy)), range);
  }

  /** Adds a block of a limit to the list. Nobody waits for it, and a failure leaves it out. */
  begun(block: BegunBlock): void {
    this.#later(begunOperation(block));
  }

  /** Removes keys from the list that were reset. */
  forget(targets: readonly Target[]): void {
    const subjects = new Map(targets.map((target) => [`${target.policy}\n${target.key}`, target]));
    for (const target of subjects.values()) this.#later(unlistOperation(target));
  }

  #later(operation: Operation<void>): void {
    this.#writing.add(this.#make(operation).catch(() => {}));
  }
}
