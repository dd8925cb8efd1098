import type { Algorithm } from '../../algorithms/definition.js';
import { ALGORITHMS, definitionOf } from '../../algorithms/definitions.js';
import type { Kernel } from '../../algorithms/kernel.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { LimitCheck } from '../store.js';
import { PolicyBlocks } from './policy-blocks.js';
import type { KeyNamespace, KeyTable } from './table/key-table.js';

/** The keys of one limit under one algorithm. If the numbers of the limit change, the spent units still count. */
export interface LimitNamespace extends KeyNamespace {
  readonly policy: string;
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly kernel: Kernel;
  /** The blocks of the policy. */
  readonly blocks: PolicyBlocks;
}

/**
 * Far more than the limits of an application. A namespace follows from its names, so all can be dropped and made again.
 */
const MOST = 1000;

/** Namespaces by policy, name of the limit, and algorithm. */
export class LimitNamespaces {
  readonly #table: KeyTable;
  readonly #policies = new Map<string, Map<string, Map<Algorithm, LimitNamespace>>>();
  /** By policy. None is dropped: a block must not be lost. */
  readonly blocks = new Map<string, PolicyBlocks>();
  #size = 0;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /** Returns the namespace of a limit. It is usually `last`, the one that was used last at the same position. */
  ofLimit(
    { policy, name, limit }: Pick<LimitCheck, 'policy' | 'name' | 'limit'>,
    last?: LimitNamespace,
  ): LimitNamespace {
    if (last && last.name === name && last.policy === policy && last.algorithm === limit.algorithm) return last;
    return this.of(policy, name, definitionOf(limit).algorithm);
  }

  of(policy: string, name: string, algorithm: Algorithm): LimitNamespace {
    return this.#policies.get(policy)?.get(name)?.get(algorithm) ?? this.#make(policy, name, algorithm);
  }

  blocksOf(policy: string): PolicyBlocks {
    return getOrCreate(this.blocks, policy, () => new PolicyBlocks(policy));
  }

  #make(policy: string, name: string, algorithm: Algorithm): LimitNamespace {
    if (this.#size >= MOST) {
      this.#policies.clear();
      this.#size = 0;
    }
    const { kernel } = ALGORITHMS[algorithm];
    const start = this.#table.startOf(policy, name, algorithm);
    const blocks = this.blocksOf(policy);
    const namespace = { start, layout: kernel.layout, policy, name, algorithm, kernel, blocks };
    const names = getOrCreate(this.#policies, policy, () => new Map<string, Map<Algorithm, LimitNamespace>>());
    getOrCreate(names, name, () => new Map<Algorithm, LimitNamespace>()).set(algorithm, namespace);
    this.#size += 1;
    return namespace;
  }
}
