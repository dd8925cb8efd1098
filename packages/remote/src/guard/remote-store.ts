// Why it is so: core/docs/why/remote-stores.md

import type { Blocks } from '@sluice/core/src/stores/blocks';
import { type Keyspace, keyspacesOf } from '@sluice/core/src/stores/keyspace';
import { isOverNetwork, type NetworkStore } from '@sluice/core/src/stores/network-store';
import type {
  Capabilities,
  Change,
  ChangeResponse,
  Consumed,
  PolicyOutline,
  Store,
  StoreRequest,
  Target,
} from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import { checkTimer } from '@sluice/core/src/values/duration';
import { isPromise } from '@sluice/core/src/values/eventual';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import { GuardedBlocks } from './guarded-blocks.js';
import type { Guard, ProtectedStore, RequestMark, RequestTerms } from './protected-store.js';
import { learning, RefusalCache } from './refusal-cache.js';
import { isRequestBound, RequestBoundGuard } from './request-bound-guard.js';
import { ServerGuard } from './server-guard.js';
import { type PlacedStore, ServerGuards } from './server-guards.js';

/**
 * Protects the application from a remote store, and the store from the application. Each request has a deadline, an
 * unreachable server is not asked, and repeated refusals of a key cost no round trips.
 *
 * Cached refusals do not change decisions. Units that other processes give back may show a tenth of a second later.
 */
export class RemoteStore implements ProtectedStore<true> {
  readonly async = true;
  readonly selfProtection = true;
  readonly clock: Clock;
  readonly supports: Capabilities;
  readonly keyspaces: readonly Keyspace[];
  readonly remote: NetworkStore['remote'];
  readonly blocks?: Blocks<true>;

  readonly #store: NetworkStore & ProtectedStore<true>;
  /** The guard of callers that wait as long as the store says. Absent if the store protects itself. */
  readonly #guard: Guard | undefined;
  /**
   * The guards of callers that wait for another time, by this time. A server that is too slow for some may be fast enough for others,
   * so each has a breaker of its own.
   */
  readonly #otherGuards = new Map<number, Guard>();
  readonly #name: string | undefined;
  readonly #refusals: RefusalCache;
  #isClosed = false;

  /** @param name - the name of this store among several; its breaker has this name in events */
  constructor(store: NetworkStore, name?: string) {
    this.#store = store;
    this.#guard = newGuard(store, store.remote.timeoutMs, name);
    this.#name = name;
    this.#refusals = new RefusalCache(store.clock);
    this.clock = store.clock;
    this.supports = store.supports;
    this.keyspaces = keyspacesOf(store);
    this.remote = store.remote;
    if (store.blocks) {
      const run: Guard['run'] = (call, target) => (this.#guard ? this.#guard.run(call, target) : call());
      this.blocks = new GuardedBlocks(store.blocks, run, (targets, change) => this.#changing(targets, change));
    }
    for (const keyspace of this.keyspaces) keyspace.whenClosed(() => this.#stop());
  }

  accept(policy: PolicyOutline): void {
    this.#store.accept?.(policy);
  }

  /** Returns the response itself if it is a cached refusal, or if a store in front of others has it at once. */
  consume(request: StoreRequest, terms?: RequestTerms): Consumed<true> {
    const isFresh = terms?.isFresh === true;
    const refusal = isFresh ? undefined : this.#refusals.recall(request);
    if (refusal) return refusal;
    const mark = isFresh || request.peek ? undefined : this.#refusals.markRequest(request);
    const guard = request.timeoutMs === undefined ? this.#guard : this.#guardFor(request.timeoutMs);
    return guard ? guard.ask(request, terms, mark) : this.#beneath(request, terms, mark);
  }

  /** Asks a store that protects itself. A refusal that it has at once is not cached here: it is no slower there. */
  #beneath(request: StoreRequest, terms: RequestTerms | undefined, mark: RequestMark | undefined): Consumed<true> {
    const response = this.#store.consume(request, terms);
    if (!mark) return response;
    if (isPromise(response)) return learning(mark, response);
    if (response.allowed) mark.cache.learn(mark, response);
    return response;
  }

  adjust(change: Change): Promise<ChangeResponse> {
    return this.#changing(change.checks, (this.#guardFor(change.timeoutMs) ?? this.#store).adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#changing(targets, (this.#guard ?? this.#store).reset(targets));
  }

  unavailable({ checks, timeoutMs }: StoreRequest | Change): Error | undefined {
    return this.#guardFor(timeoutMs)?.unavailable(checks);
  }

  /** Waits until running calls have ended, at the latest at their deadline, and closes the store. */
  async close(): Promise<void> {
    await Promise.all([this.#guard, ...this.#otherGuards.values()].map((guard) => guard?.ended()));
    this.#stop();
    await this.#store.close();
  }

  /** From now on the store itself replies, even if somebody else has closed it: it says that it is closed. */
  #stop(): void {
    this.#isClosed = true;
    this.#refusals.close();
    for (const guard of [this.#guard, ...this.#otherGuards.values()]) guard?.stop();
  }

  /** Returns the guard of a caller that waits this long. */
  #guardFor(timeoutMs: number | undefined): Guard | undefined {
    if (timeoutMs === undefined || timeoutMs === this.remote.timeoutMs || !this.#guard) return this.#guard;
    const known = this.#otherGuards.get(timeoutMs);
    if (known || this.#isClosed) return known ?? this.#guard;
    const made = newGuard(this.#store, timeoutMs, this.#name) as Guard;
    this.#otherGuards.set(timeoutMs, made);
    return made;
  }

  async #changing<T>(targets: readonly Target[], change: Promise<T>): Promise<T> {
    this.#refusals.changed(targets);
    try {
      return await change;
    } finally {
      this.#refusals.changed(targets);
    }
  }
}

function newGuard(store: NetworkStore, timeoutMs: number, name: string | undefined): Guard | undefined {
  if (store.selfProtection) return undefined;
  if (isRequestBound(store)) return new RequestBoundGuard(store, timeoutMs);
  return isPlaced(store) ? new ServerGuards(store, timeoutMs, name) : ServerGuard.only(store, timeoutMs, name);
}

function isPlaced(store: NetworkStore): store is PlacedStore {
  return store.remote.placement !== undefined;
}

const remotes = new WeakMap<Store, RemoteStore>();

/**
 * Returns a remote store with its protection, which each store has once. Any other store is returned unchanged.
 *
 * @param name - the name of a store among several, for the events of its breaker; the first name stays
 * @throws SluiceError `SLUICE_OPTION` if its timeout is longer than a timer can be
 */
export function protectStore(store: Store, name?: string): ProtectedStore {
  if (!isOverNetwork(store) || store instanceof RemoteStore) return store;
  checkTimer(store.remote.timeoutMs, 'store.remote.timeoutMs');
  return getOrCreate(remotes, store, () => new RemoteStore(store, name));
}
