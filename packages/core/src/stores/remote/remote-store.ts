// Why it is so: docs/why/remote-stores.md

import type { Clock } from '../../values/clock.js';
import { Deferred, passOn } from '../../values/deferred.js';
import { checkTimer } from '../../values/duration.js';
import { isPromise } from '../../values/eventual.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { Blocks } from '../blocks.js';
import { type Keyspace, keyspacesOf } from '../keyspace.js';
import { isSimpleSpend } from '../reply.js';
import type {
  Ask,
  Capabilities,
  Change,
  ChangeReply,
  Consumed,
  PolicyOutline,
  Reply,
  Store,
  Target,
} from '../store.js';
import { GuardedBlocks } from './guarded-blocks.js';
import type { AskTerms, Guard, NetworkStore, ProtectedStore } from './protected-store.js';
import { type AskMark, RefusalCache } from './refusal-cache.js';
import { ServerGuard } from './server-guard.js';
import { type PlacedStore, ServerGuards } from './server-guards.js';

/**
 * Protects the application from a remote store, and the store from the application. Each ask has a deadline, an
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

  /** Returns the reply itself if it is a cached refusal, or if a store in front of others has it at once. */
  consume(ask: Ask, terms?: AskTerms): Consumed<true> {
    const isFresh = terms?.isFresh === true;
    const refusal =
      isFresh || this.#refusals.isEmpty || !this.#isRepeatable(ask) ? undefined : this.#refusals.recall(ask);
    if (refusal) return refusal;
    const reply = isFresh || ask.peek ? new Deferred<Reply>() : new NotedReply(this.#refusals, ask, this.#isRepeatable);
    const guard = this.#guardFor(ask.timeoutMs);
    if (!guard) return this.#beneath(ask, reply, terms);
    guard.ask(ask, reply, terms);
    return reply;
  }

  /** Asks a store that protects itself. A refusal that it has at once is not cached here: it is no slower there. */
  #beneath(ask: Ask, reply: Deferred<Reply>, terms: AskTerms | undefined): Consumed<true> {
    const answer = this.#store.consume(ask, terms);
    if (isPromise(answer)) {
      passOn(answer, reply);
      return reply;
    }
    if (answer.allowed && reply instanceof NotedReply) this.#refusals.spent(ask, answer);
    return answer;
  }

  /** Whether a refusal of this ask may be cached. */
  readonly #isRepeatable = (ask: Ask): boolean => !this.#isClosed && ask.checks.length > 0 && isSimpleSpend(ask);

  adjust(change: Change): Promise<ChangeReply> {
    return this.#changing(change.checks, (this.#guardFor(change.timeoutMs) ?? this.#store).adjust(change));
  }

  reset(targets: readonly Target[]): Promise<number> {
    return this.#changing(targets, (this.#guard ?? this.#store).reset(targets));
  }

  unavailable({ checks, timeoutMs }: Ask | Change): Error | undefined {
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

/** A reply from which the cache of refusals learns. */
class NotedReply extends Deferred<Reply> {
  readonly #refusals: RefusalCache;
  readonly #ask: Ask;
  readonly #isRepeatable: (ask: Ask) => boolean;
  readonly #mark: AskMark;

  constructor(refusals: RefusalCache, ask: Ask, isRepeatable: (ask: Ask) => boolean) {
    super();
    this.#refusals = refusals;
    this.#ask = ask;
    this.#isRepeatable = isRepeatable;
    this.#mark = refusals.markAsk();
  }

  override resolve(reply: Reply): void {
    if (reply.allowed) this.#refusals.spent(this.#ask, reply);
    else if (!reply.outsideCalendarBounds && this.#isRepeatable(this.#ask))
      this.#refusals.remember(this.#ask, this.#mark, reply);
    super.resolve(reply);
  }
}

function newGuard(store: NetworkStore, timeoutMs: number, name: string | undefined): Guard | undefined {
  if (store.selfProtection) return undefined;
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
export function remoteStore(store: Store, name?: string): ProtectedStore {
  if (!isOverNetwork(store) || store instanceof RemoteStore) return store;
  checkTimer(store.remote.timeoutMs, 'store.remote.timeoutMs');
  return getOrCreate(remotes, store, () => new RemoteStore(store, name));
}

function isOverNetwork(store: Store): store is NetworkStore {
  return store.async && store.remote !== undefined;
}
