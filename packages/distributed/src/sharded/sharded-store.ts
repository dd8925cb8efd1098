// Why it is so: core/docs/why/several-servers.md

import type { Blocks } from '@sluice/core/src/stores/blocks';
import { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import { type Keyspace, keyspacesOf } from '@sluice/core/src/stores/keyspace';
import type {
  Capabilities,
  Change,
  ChangeResponse,
  PolicyOutline,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import { optionError, SluiceError } from '@sluice/core/src/values/error';
import { adjustInGroups } from '@sluice/remote/grouped/adjust';
import { consumeInGroups } from '@sluice/remote/grouped/consume';
import { type Decider, type Group, groupsOf } from '@sluice/remote/grouped/groups';
import { FRESH, type ProtectedStore, type RequestTerms } from '@sluice/remote/guard/protected-store';
import { protectStore } from '@sluice/remote/guard/remote-store';
import { RunningPromises } from '@sluice/remote/guard/running-promises';
import { nodesOf, sharedCapabilities } from './nodes.js';
import { rendezvous } from './rendezvous.js';
import { ShardedBlocks } from './sharded-blocks.js';

/** The options of a ShardedStore. */
export interface ShardedStoreOptions {
  /**
   * The stores by name: at least one, and each returns promises, such as a RedisStore. A name has 1 to 128 printable
   * ASCII characters. Keep the name of each store, because the names alone decide where a key lives.
   */
  nodes: Readonly<Record<string, Store<true>>>;
}

/**
 * Spreads keys over independent stores. All limits of one subject live on one of them, chosen by rendezvous hashing.
 * Choose it if one server is not enough, and you do not run a cluster. Each node has its own deadline and circuit
 * breaker: if one fails, `onStoreError` decides for its keys only.
 *
 * All limits of one subject are decided in one step. If a request has several subjects, the nodes decide one after the
 * other, within one deadline. If a later node refuses or fails, the units that an earlier one spent are given back. A
 * refusal stands even if another node fails, and a limit that is not enforced fails no request.
 *
 * A new node takes its share of the keys from all others, and these keys start fresh. For `boundOf`, that is one loss.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const nodes = { a: new RedisStore({ client: a }), b: new RedisStore({ client: b }) };
 * app.use(rateLimit({ limit: 100, window: '1m', store: new ShardedStore({ nodes }) }));
 */
export class ShardedStore implements Store<true> {
  readonly async = true;
  readonly selfProtection = true;
  readonly clock: Clock;
  readonly supports: Capabilities;
  readonly keyspaces: readonly Keyspace[];
  readonly remote: NonNullable<Store['remote']>;
  /** Present if every node has blocks. */
  readonly blocks?: Blocks<true>;

  /** The stores as they were passed in the options. */
  readonly #stores: readonly Store[];
  readonly #nodes: ReadonlyMap<string, ProtectedStore<true>>;
  readonly #nameOf: (key: string) => string;
  /** Requests that several nodes decide. */
  readonly #inSteps = new RunningPromises();
  #isClosed = false;

  constructor(options: ShardedStoreOptions) {
    const stores = Object.entries(nodesOf(options));
    this.#nodes = new Map(stores.map(([name, store]) => [name, protectStore(store, name) as ProtectedStore<true>]));
    this.#nameOf = rendezvous([...this.#nodes.keys()]);
    const all = stores.map(([, store]) => store);
    this.#stores = all;
    this.clock = (all[0] as Store).clock;
    this.supports = sharedCapabilities(all);
    this.keyspaces = all.flatMap(keyspacesOf);
    const random = all.find(({ remote }) => remote?.random)?.remote?.random;
    this.remote = {
      timeoutMs: Math.max(...all.map(({ remote }) => remote?.timeoutMs ?? 0)),
      instances: Math.max(...all.map(({ remote }) => remote?.instances ?? 1)),
      ...(random && { random }),
      protect: protectStore,
    };
    const blocks = [...this.#nodes.values()].map((node) => node.blocks).filter((own) => own !== undefined);
    if (blocks.length === all.length) {
      this.blocks = new ShardedBlocks(blocks, (key) => {
        this.#open();
        return this.#node(this.#nameOf(key)).blocks as Blocks<true>;
      });
    }
  }

  /** Any node may have to count the policy. Guarantees need keys of several subjects on one node. */
  accept(policy: PolicyOutline): void {
    const guarantee = this.#nodes.size > 1 && policy.limits.find(({ usesGuarantee }) => usesGuarantee);
    if (guarantee) {
      const rule = `cannot count the limit ${JSON.stringify(guarantee.name)}, which has a guarantee: its keys live on several nodes, so give the policy a store of one server`;
      throw optionError('store', rule, this);
    }
    for (const store of this.#stores) store.accept?.(policy);
  }

  /** If one node decides, it follows `terms`. */
  async consume(request: StoreRequest, terms?: RequestTerms): Promise<StoreResponse> {
    const groups = this.#groups(request);
    if (groups.length > 1)
      return this.#inSteps.add(consumeInGroups(request, groups, terms?.budget ?? this.#budget(request)));
    // A request without checks can be decided by any node.
    const node = this.#node(this.#nameOf(request.checks[0]?.key ?? ''));
    return node.consume(request, terms ? { ...terms, isFresh: true } : FRESH);
  }

  async adjust(change: Change): Promise<ChangeResponse> {
    return adjustInGroups(change, this.#groups(change));
  }

  async reset(targets: readonly Target[]): Promise<number> {
    this.#open();
    const forgotten = await Promise.all(targets.map((target) => this.#node(this.#nameOf(target.key)).reset([target])));
    return forgotten.reduce((sum, states) => sum + states, 0);
  }

  /** Waits for requests that several nodes decide, at most until their deadline. Then it closes the store of every node. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.remote.timeoutMs > 0) await this.#inSteps.ended();
    await Promise.all([...this.#nodes.values()].map((node) => node.close()));
  }

  #groups(asked: StoreRequest | Change): readonly Group[] {
    this.#open();
    return groupsOf(
      asked.checks,
      ({ key }) => this.#nameOf(key),
      (name) => deciderOf(this.#node(name), asked),
    );
  }

  /** The time for a request that waits for several nodes. It has no end if no node is remote. */
  #budget({ timeoutMs = this.remote.timeoutMs }: StoreRequest): DeadlineBudget {
    return new DeadlineBudget(this.remote.timeoutMs > 0 ? timeoutMs : undefined);
  }

  #node(name: string): ProtectedStore<true> {
    return this.#nodes.get(name) as ProtectedStore<true>;
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }
}

function deciderOf(node: ProtectedStore<true>, asked: StoreRequest | Change): Decider {
  return {
    consume: (request, budget) => node.consume(request, { budget, isFresh: true }),
    adjust: (change) => node.adjust(change),
    unavailable: (checks) => node.unavailable?.({ ...asked, checks }),
  };
}
