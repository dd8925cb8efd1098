import type { Clock } from '../../values/clock.js';
import { optionError, SluiceError } from '../../values/error.js';
import { at, checkName, checkOptions } from '../../values/option-checks.js';
import { checkAsyncStore } from '../check-store.js';
import { DeadlineBudget } from '../deadline.js';
import { adjustInGroups } from '../grouped/adjust.js';
import { consumeInGroups } from '../grouped/consume.js';
import { type Decider, type Group, groupsOf } from '../grouped/groups.js';
import { type Keyspace, keyspacesOf, type PlaceDescription } from '../keyspace.js';
import { InFlight } from '../remote/in-flight.js';
import { type AskTerms, FRESH, type ProtectedStore } from '../remote/protected-store.js';
import { remoteStore } from '../remote/remote-store.js';
import type { Ask, Capabilities, Change, ChangeReply, Check, PolicyOutline, Reply, Store, Target } from '../store.js';
import { rendezvous } from './rendezvous.js';

/** The stores that a ShardedStore spreads keys over. */
export interface ShardedStoreOptions {
  /**
   * At least one store that answers by promises, such as a RedisStore, by name: 1 to 128 printable ASCII characters
   * that stay this store's, since where a key lives follows from the names alone.
   */
  nodes: Readonly<Record<string, Store<true>>>;
}

/**
 * Spreads keys over independent stores, each subject's on one of them, chosen by rendezvous hashing. Each node has a
 * deadline and a breaker of its own, so that when one fails, `onStoreError` answers for its keys and for no others.
 *
 * Limits of one subject are decided in one step. Those of a request with several subjects are decided node by node,
 * within one deadline, and what an earlier node spent is given back when a later one refuses or fails. A refusal stands
 * whoever fails besides, and limits that are not enforced fail no request. A node that is added takes its part of the keys
 * from all others, and these keys start fresh: one loss, as `boundOf` counts them.
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

  /** The nodes as they were given. */
  readonly #stores: readonly Store[];
  readonly #nodes: ReadonlyMap<string, ProtectedStore<true>>;
  readonly #nameOf: (key: string) => string;
  /** Questions that several nodes decide. */
  readonly #inSteps = new InFlight();
  #isClosed = false;

  constructor(options: ShardedStoreOptions) {
    checkOptions(options, ['nodes']);
    const stores = Object.entries(checkNodes(options.nodes));
    this.#nodes = new Map(stores.map(([name, store]) => [name, remoteStore(store, name) as ProtectedStore<true>]));
    this.#nameOf = rendezvous([...this.#nodes.keys()]);
    const all = stores.map(([, store]) => store);
    this.#stores = all;
    this.clock = (all[0] as Store).clock;
    this.supports = sharedCapabilities(all);
    this.keyspaces = all.flatMap(keyspacesOf);
    this.remote = {
      timeoutMs: Math.max(...all.map(({ remote }) => remote?.timeoutMs ?? 0)),
      instances: Math.max(...all.map(({ remote }) => remote?.instances ?? 1)),
    };
  }

  /** Any node may have to count the policy. */
  accept(policy: PolicyOutline): void {
    for (const store of this.#stores) store.accept?.(policy);
  }

  /** Where one node decides, it keeps to the terms. */
  async consume(ask: Ask, terms?: AskTerms): Promise<Reply> {
    const groups = this.#groups(ask.checks);
    if (groups.length > 1) return this.#inSteps.add(consumeInGroups(ask, groups, terms?.budget ?? this.#budget()));
    // What asks about nothing is answered by any node.
    const node = this.#node(this.#nameOf(ask.checks[0]?.key ?? ''));
    return node.consume(ask, terms ? { ...terms, isFresh: true } : FRESH);
  }

  async adjust(change: Change): Promise<ChangeReply> {
    return adjustInGroups(change, this.#groups(change.checks));
  }

  async reset(targets: readonly Target[]): Promise<number> {
    this.#open();
    const forgotten = await Promise.all(targets.map((target) => this.#node(this.#nameOf(target.key)).reset([target])));
    return forgotten.reduce((sum, states) => sum + states, 0);
  }

  /** Waits for what several nodes decide, which takes no longer than the deadline, and closes every node's store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.remote.timeoutMs > 0) await this.#inSteps.ended();
    await Promise.all([...this.#nodes.values()].map((node) => node.close()));
  }

  #groups(checks: readonly Check[]): readonly Group[] {
    this.#open();
    return groupsOf(
      checks,
      ({ key }) => this.#nameOf(key),
      (name) => deciderOf(this.#node(name)),
    );
  }

  /** One for the whole, of a request that waits for several nodes; for ever where none of them is remote. */
  #budget(): DeadlineBudget {
    return new DeadlineBudget(this.remote.timeoutMs > 0 ? this.remote.timeoutMs : undefined);
  }

  #node(name: string): ProtectedStore<true> {
    return this.#nodes.get(name) as ProtectedStore<true>;
  }

  #open(): void {
    if (this.#isClosed) throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  }
}

function deciderOf(node: ProtectedStore<true>): Decider {
  return {
    consume: (ask, budget) => node.consume(ask, { budget, isFresh: true }),
    adjust: (change) => node.adjust(change),
    unavailable: (checks) => node.unavailable?.(checks),
  };
}

/** What all nodes can do, but for what none can beyond itself. */
function sharedCapabilities(nodes: readonly Store[]): Capabilities {
  const declared = nodes.map(({ supports }) => supports);
  const limited = declared.flatMap(({ algorithms }) => (algorithms ? [algorithms] : []));
  const [some, ...others] = limited;
  return {
    atomicAcrossKeys: false,
    ...(some && { algorithms: some.filter((name) => others.every((names) => names.includes(name))) }),
    ...(declared.some(({ exact }) => exact === false) && { exact: false }),
  };
}

function checkNodes(nodes: ShardedStoreOptions['nodes']): ShardedStoreOptions['nodes'] {
  if (typeof nodes !== 'object' || nodes === null || Array.isArray(nodes) || Object.keys(nodes).length === 0) {
    throw optionError('nodes', 'must be stores by their names: { a: new RedisStore({ client }) }', nodes);
  }
  const names = new Map<object, string>();
  for (const [name, store] of Object.entries(nodes)) {
    const path = at('nodes', name);
    checkName(name, path);
    checkAsyncStore(store, path);
    for (const { place, description } of keyspacesOf(store)) {
      const other = names.get(place);
      if (other !== undefined && other !== name) throw optionError(path, samePlace(other, description), store);
      names.set(place, name);
    }
  }
  return nodes;
}

function samePlace(other: string, description: PlaceDescription | undefined): string {
  if (!description) return `is the same store as nodes.${other}`;
  const { place, suggestion } = description;
  return `counts in the same place as nodes.${other}, ${place}: give each node a server of its own, or ${suggestion}`;
}
