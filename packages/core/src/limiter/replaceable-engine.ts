import type { Store } from '../stores/store.js';
import { type PolicyRecorder, policyRecorder } from '../values/policy-recorder.js';
import { type ByKey, CheckBuilder, KEY_ITSELF, type KeySource, policyByKey } from './check-builder.js';
import { DecisionReporter } from './decision-reporter.js';
import { Engine } from './engine.js';
import { leaseRenewerOf } from './life/lease-renewer.js';
import { type LimitChange, limitChange } from './limit-change.js';
import { mayDelay, mayTakeSlots } from './policy/abilities.js';
import type { Args } from './policy/options.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
import { PolicyChanges } from './policy-changes.js';
import type { GrantedReservation, ReservationClass } from './reservation.js';
import { ReservationCharges } from './reservation-charges.js';
import { StoreClient } from './store-client.js';

/** What a policy decides with, in whatever version it is. */
interface EngineContext<A extends Args, R extends GrantedReservation> {
  readonly store: Store;
  readonly keys: KeySource<A>;
  readonly claim: NameClaim;
  readonly Granted: ReservationClass<R>;
}

/** One version of a policy, ready to decide. */
interface Version<A extends Args, R extends GrantedReservation> {
  readonly reporter: DecisionReporter;
  /** Returns a check of an earlier version with the numbers that its limit has here. */
  readonly now: LimitChange;
  readonly byRequest: Engine<A, R>;
  readonly byKey: Engine<ByKey, R>;
  readonly changes: PolicyChanges;
}

/**
 * What decides for a limiter or a middleware as long as it lives. Its policy may be replaced while requests run; its name and its
 * store stay.
 */
export class ReplaceableEngine<A extends Args, R extends GrantedReservation = GrantedReservation> {
  /** The name of the policy. */
  readonly policy: string;
  readonly store: Store;
  readonly recorder: PolicyRecorder;
  readonly #context: EngineContext<A, R>;
  readonly #listeners: (() => void)[] = [];
  /**
   * The engine that decides now. Ask for it once for each request, and use it for all steps of the request, so that no request
   * is decided by two policies.
   */
  current: Engine<A, R>;
  #version: Version<A, R>;

  constructor(policy: Policy<A>, context: EngineContext<A, R>) {
    this.policy = policy.name;
    this.store = context.store;
    this.recorder = policyRecorder(policy.name);
    this.#context = context;
    this.#version = this.#versionOf(policy);
    this.current = this.#version.byRequest;
    this.#version.reporter.beginUse();
  }

  /** The same for a key, which counts in every limit of the policy, whatever their key generators are. */
  get byKey(): Engine<ByKey, R> {
    return this.#version.byKey;
  }

  /** Changes what the limits have counted, by the numbers that they have now. For checks, ask for it together with `current`. */
  get changes(): PolicyChanges {
    return this.#version.changes;
  }

  /** Calls `listener` each time after the policy was replaced. */
  onReplaced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Prepares to decide by another policy of the same name. Returns the function that puts it into force: running requests end as
   * they began, and later corrections of their charges use the numbers of the new limits, as all states do.
   */
  prepare(policy: Policy<A>): () => void {
    const next = this.#versionOf(policy);
    return () => {
      next.reporter.beginUse();
      this.#version.reporter.endUse();
      this.#version = next;
      this.current = next.byRequest;
      leaseRenewerOf(this.store).changeLimits(this.policy, next.now);
      for (const listener of this.#listeners) listener();
    };
  }

  #versionOf(policy: Policy<A>): Version<A, R> {
    const { store, keys, claim, Granted } = this.#context;
    const { items } = policy;
    const reporter = new DecisionReporter(policy);
    const storeClient = new StoreClient(policy, store, claim, this.recorder);
    const { calendarBounds } = storeClient;
    const now = limitChange(items);
    const limitsNow = (): LimitChange | undefined => (this.#version === version ? undefined : this.#version.now);
    const charges = new ReservationCharges(items, store, storeClient, limitsNow);
    const parts = {
      storeClient,
      reporter,
      charges,
      Granted,
      mayDelay: items.some(mayDelay),
      mayTakeSlots: items.some(mayTakeSlots),
    };
    const version: Version<A, R> = {
      reporter,
      now,
      byRequest: new Engine(new CheckBuilder(policy, keys, calendarBounds), parts),
      byKey: new Engine(new CheckBuilder(policyByKey(policy), KEY_ITSELF, calendarBounds), parts),
      changes: new PolicyChanges({ policy, ownsCost: charges.ownsCost, store, claim, storeClient, now }, reporter),
    };
    return version;
  }
}
