import { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type { NetworkStore } from '@sluice/core/src/stores/network-store';
import type {
  Change,
  ChangeResponse,
  LimitCheck,
  Placement,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core/src/stores/store';
import { getOrCreate } from '@sluice/core/src/values/get-or-create';
import { adjustInGroups } from '../grouped/adjust.js';
import { consumeInGroups } from '../grouped/consume.js';
import { type Group, groupsOf } from '../grouped/groups.js';
import { keyOfProbe } from './probe.js';
import type { Guard, RequestMark, RequestTerms } from './protected-store.js';
import { learning } from './refusal-cache.js';
import { RunningPromises } from './running-promises.js';
import { ServerGuard } from './server-guard.js';
import { TimeoutQueue } from './timeout-queue.js';

/** How many keys are tried to find one on a server that has few of them. */
const MOST_TRIES = 1000;

/** A store with several servers. */
export type PlacedStore = NetworkStore & { readonly remote: { readonly placement: Placement } };

/** Stands for a server that is not known yet. */
const UNKNOWN = '';

/**
 * Asks a store with several servers. Each server has its own guard: a deadline, a breaker, a probe and an estimate of
 * its time. So every request is answered, or fails with `SLUICE_STORE`, within the store's deadline, and an unreachable
 * server is not asked.
 *
 * A call that was given up may still reach the store later, because the server was frozen or the network was slow. So
 * every request carries the server's time after which nothing may be spent. If a response is lost after the store has spent,
 * the charge stays, which is the strict side.
 *
 * If the checks of a request are on several servers, it is decided group by group, within one deadline. It fails at once,
 * and no server is asked, while the breaker of a server with one of its enforced limits is open.
 */
export class ServerGuards implements Guard {
  readonly #store: PlacedStore;
  readonly #placement: Placement;
  readonly #timeouts: TimeoutQueue;
  readonly #name: string | undefined;
  /** The guard of a server that is not known yet. */
  readonly #unknown: ServerGuard;
  /** By the names of the servers. */
  readonly #guards = new Map<string, ServerGuard>();
  /** Requests that take several steps. Between two steps no deadline is running. */
  readonly #inSteps = new RunningPromises();
  #probes = 0;
  #isStopped = false;

  /**
   * @param timeoutMs - how long its callers wait
   * @param name - the name of this store among several; its breakers have this name in events
   */
  constructor(store: PlacedStore, timeoutMs: number, name?: string) {
    this.#store = store;
    this.#placement = store.remote.placement;
    this.#timeouts = new TimeoutQueue(timeoutMs);
    this.#name = name;
    this.#unknown = this.#newGuard(UNKNOWN);
  }

  ask(request: StoreRequest, terms?: RequestTerms, mark?: RequestMark): PromiseLike<StoreResponse> {
    const { checks } = request;
    if (this.#isOneGroup(checks)) return this.#guardOf(checks[0]).ask(request, terms, mark);
    const budget = terms?.budget ?? new DeadlineBudget(this.#timeouts.afterMs, this.#store.remote);
    const response = this.#inSteps.add(consumeInGroups(request, this.#groups(checks), budget));
    return mark ? learning(mark, response) : response;
  }

  adjust(change: Change): Promise<ChangeResponse> {
    const { checks } = change;
    if (this.#isOneGroup(checks)) return this.#guardOf(checks[0]).adjust(change);
    return adjustInGroups(change, this.#groups(checks));
  }

  async reset(targets: readonly Target[]): Promise<number> {
    const guarded = new Map<ServerGuard, Target[]>();
    for (const target of targets) getOrCreate(guarded, this.#guardOf(target), (): Target[] => []).push(target);
    const forgotten = await Promise.all([...guarded].map(([guard, own]) => guard.reset(own)));
    return forgotten.reduce((sum, states) => sum + states, 0);
  }

  run<T>(call: () => Promise<T>, target: Target | undefined): Promise<T> {
    return this.#guardOf(target).run(call, target);
  }

  unavailable(checks: readonly LimitCheck[]): Error | undefined {
    for (const check of checks) {
      const error = check.shadow ? undefined : this.#guardOf(check).unavailable();
      if (error) return error;
    }
    return undefined;
  }

  async ended(): Promise<void> {
    await Promise.all([this.#inSteps.ended(), this.#timeouts.ended()]);
  }

  stop(): void {
    this.#isStopped = true;
    this.#unknown.stop();
    for (const guard of this.#guards.values()) guard.stop();
  }

  /** Whether one step reaches all of these checks. */
  #isOneGroup(checks: readonly LimitCheck[]): boolean {
    if (checks.length < 2) return true;
    const first = this.#placement.groupOf(checks[0] as LimitCheck);
    for (let i = 1; i < checks.length; i += 1) {
      if (this.#placement.groupOf(checks[i] as LimitCheck) !== first) return false;
    }
    return true;
  }

  #groups(checks: readonly LimitCheck[]): readonly Group[] {
    return groupsOf(checks, this.#placement.groupOf, (_, [first]) => {
      const guard = this.#guardOf(first);
      return {
        consume: (own, budget) => guard.ask(own, { budget }),
        adjust: (change) => guard.adjust(change),
        unavailable: () => guard.unavailable(),
      };
    });
  }

  #guardOf(target: Target | undefined): ServerGuard {
    const node = target && this.#placement.nodeOf(target);
    if (node === undefined) return this.#unknown;
    return this.#guards.get(node) ?? this.#guardNew(node);
  }

  #guardNew(node: string): ServerGuard {
    // Servers are added and removed, and nobody reports which were removed.
    for (const [name, guard] of this.#guards) if (guard.isForgettable) this.#guards.delete(name);
    const guard = this.#newGuard(node);
    if (this.#isStopped) guard.stop();
    this.#guards.set(node, guard);
    return guard;
  }

  #newGuard(node: string): ServerGuard {
    const [store, timeouts] = [this.#store, this.#timeouts];
    const names = [this.#name, node === UNKNOWN ? undefined : node].filter((name) => name !== undefined);
    return new ServerGuard({
      store,
      timeouts,
      node: names.length > 0 ? names.join('/') : undefined,
      probedKey: (lastFailed) => this.#keyOn(node, lastFailed),
    });
  }

  /**
   * Returns a key that lives on a server, each time another one, because one slot may be missing while others are
   * there.
   */
  #keyOn(node: string, lastFailed: Target | undefined): Target | undefined {
    this.#placement.refresh?.();
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      this.#probes += 1;
      const target = keyOfProbe(this.#probes);
      if (node === UNKNOWN || this.#placement.nodeOf(target) === node) return target;
    }
    if (lastFailed && this.#placement.nodeOf(lastFailed) === node) return lastFailed;
    this.#guards.delete(node);
    return undefined;
  }
}
