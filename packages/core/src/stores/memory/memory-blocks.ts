import { DEFINITIONS } from '../../algorithms/definitions.js';
import type { KeyState } from '../../algorithms/key-state.js';
import {
  type BlockOrder,
  type BlockRange,
  type Blocks,
  blockIn,
  blocksIn,
  type FoundBlock,
  type ListedBlock,
} from '../blocks.js';
import type { Target } from '../store.js';
import type { LimitNamespaces } from './limit-namespaces.js';
import type { OperationRoute } from './operation-route.js';
import type { KeyTable } from './table/key-table.js';

/** The blocks of a memory store. Those of limits are in the states of the key table. */
export class MemoryBlocks implements Blocks<false> {
  /**
   * It has all that its store remembers, because a snapshot finds it here: users see the type of the store.
   */
  constructor(
    readonly table: KeyTable,
    readonly namespaces: LimitNamespaces,
    readonly operations: OperationRoute,
  ) {}

  block(order: BlockOrder): void {
    const nowMs = this.table.clock.now();
    const [first] = order.targets;
    if (first) this.namespaces.blocksOf(first.policy).hold(order, nowMs);
  }

  unblock(targets: readonly Target[]): boolean {
    const nowMs = this.table.clock.now();
    let isLifted = false;
    for (const target of targets) {
      if (this.namespaces.blocksOf(target.policy).lift(target, nowMs)) isLifted = true;
      for (const namespace of this.#namespacesOf(target)) {
        if (this.table.lift(namespace, target.key, nowMs)) isLifted = true;
      }
    }
    return isLifted;
  }

  find(targets: readonly Target[]): FoundBlock | undefined {
    const nowMs = this.table.clock.now();
    const heads: Pick<KeyState, 'blockEndsMs' | 'strikes' | 'heldUntilMs'>[] = [];
    let why: string | undefined;
    for (const target of targets) {
      const { heldUntilMs, reason } = this.namespaces.blocksOf(target.policy).find(target);
      why ??= reason;
      heads.push({ blockEndsMs: 0, strikes: 0, heldUntilMs });
      for (const namespace of this.#namespacesOf(target)) {
        const head = this.table.headOf(namespace, target.key);
        if (head) heads.push({ ...head, heldUntilMs: 0 });
      }
    }
    return blockIn(heads, nowMs, why);
  }

  list(policy: string, range: BlockRange): readonly ListedBlock[] {
    const nowMs = this.table.clock.now();
    return blocksIn(this.namespaces.blocksOf(policy).list(nowMs), range);
  }

  #namespacesOf({ policy, name }: Target) {
    return DEFINITIONS.map(({ algorithm }) => this.namespaces.of(policy, name, algorithm));
  }
}
