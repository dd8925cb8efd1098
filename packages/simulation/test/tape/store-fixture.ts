import { type Clock, MemoryStore, type Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { type CompareAndSwapBackend, compareAndSwapStore, type Entry, type Swap } from '@sluice/core/store';
import { ManualClock } from '@sluice/core/testing';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { type BaseKind, childrenOf, type StoreTree } from '../../src/tape/nesting.js';

/** Makes the stores of a tree, each of which counts in a place of its own. */
export class StoreFixture {
  readonly clock = new ManualClock();
  /** The databases of the `table` stores. */
  readonly tables: Table[] = [];
  readonly #servers: Partial<Record<BaseKind, (clock: Clock) => Store<true>>>;

  /** @param servers - how stores on real servers are made; the others have a client that is never asked */
  constructor(servers: Partial<Record<BaseKind, (clock: Clock) => Store<true>>> = {}) {
    this.#servers = servers;
  }

  /** Lets what is under way go on: over a network, for a moment of real time. */
  turn(): Promise<void> {
    const isRemote = Object.keys(this.#servers).length > 0;
    return new Promise((resolve) => (isRemote ? setTimeout(resolve, 1) : setImmediate(resolve)));
  }

  /** A store that its type does not allow is passed all the same, as a program without types does. */
  make(tree: StoreTree): Store {
    const behind = childrenOf(tree).map((child) => this.make(child)) as Store<true>[];
    switch (tree.kind) {
      case 'leased':
        return new LeasedStore({ busyFrom: 1, store: behind[0] as Store<true>, lease: LEASE });
      case 'synced':
        return new SyncedStore({ busyFrom: 1, store: behind[0] as Store<true>, sync: LEASE });
      case 'sharded':
        return new ShardedStore({
          nodes: Object.fromEntries(behind.map((node, i) => [`${depthOf(tree)}-${i}`, node])),
        });
      default:
        return this.#servers[tree.kind]?.(this.clock) ?? this.#base(tree.kind);
    }
  }

  #base(kind: BaseKind): Store {
    switch (kind) {
      case 'memory':
        return new MemoryStore({ clock: this.clock });
      case 'table': {
        const table = new Table();
        this.tables.push(table);
        return compareAndSwapStore(table, { clock: this.clock, timeout: '10s' });
      }
      case 'postgres':
        return new PostgresStore({ client: { query: unasked }, clock: this.clock, timeout: '10s' });
      default:
        return new RedisStore({ client: redisClient(kind === 'cluster'), clock: this.clock, timeout: '10s' });
    }
  }
}

/** Longer than all that happens at once, and much shorter than the windows. */
export const LEASE = '100ms';

/** Nodes of different levels have different names. */
function depthOf(tree: StoreTree): number {
  return Math.max(0, ...childrenOf(tree).map((child) => 1 + depthOf(child)));
}

const unasked = async (): Promise<never> => {
  throw new Error('this client has no server');
};

function redisClient(isCluster: boolean) {
  return { status: 'ready', isCluster, call: unasked, callBuffer: unasked };
}

/** A database in memory that can be made to fail. */
export class Table implements CompareAndSwapBackend {
  isDown = false;
  reads = 0;
  readonly #entries = new Map<string, Entry>();

  async read(keys: readonly string[]) {
    this.#reached();
    this.reads += 1;
    return { entries: keys.map((key) => this.#entries.get(key)) };
  }

  async swap(swaps: readonly Swap[]) {
    this.#reached();
    if (swaps.some(({ key, was }) => this.#entries.get(key)?.version !== was)) return false;
    for (const { key, next } of swaps) {
      if (next) this.#entries.set(key, next);
      else this.#entries.delete(key);
    }
    return true;
  }

  async delete(keys: readonly string[]) {
    this.#reached();
    return keys.filter((key) => this.#entries.delete(key)).length;
  }

  #reached(): void {
    if (this.isDown) throw new Error('the database is gone');
  }
}
