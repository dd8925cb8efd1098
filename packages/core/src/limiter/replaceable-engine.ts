import type { Store } from '../stores/store.js';
import type { Eventual } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import { type PolicyRecorder, policyRecorder } from '../values/policy-recorder.js';
import type { Engine } from './engine.js';
import { leaseRenewerOf } from './life/lease-renewer.js';
import type { KeyCounter, KeyCounts } from './policy/key-view.js';
import type { Args } from './policy/options.js';
import type { Policy } from './policy/parse.js';
import type { ByKey } from './policy-by-key.js';
import type { PolicyChanges } from './policy-changes.js';
import { type EngineContext, type PolicyVersion, policyVersion } from './policy-version.js';
import type { GrantedReservation } from './reservation.js';

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
  #version: PolicyVersion<A, R>;
  /** Given to the views of keys, which do not keep it: it lives as long as this engine. */
  readonly #counter: KeyCounter;

  constructor(policy: Policy<A>, context: EngineContext<A, R>) {
    this.policy = policy.name;
    this.store = context.store;
    this.recorder = policyRecorder(policy.name);
    this.#context = context;
    this.#version = this.#versionOf(policy);
    this.current = this.#version.byRequest;
    this.#version.reporter.beginUse();
    this.#counter = { name: policy.name, look: (limits) => this.#version.keyLook.look(limits) };
    this.#joinViews();
  }

  /** The same for a key, which counts in every limit of the policy, whatever their key generators are. */
  get byKey(): Engine<ByKey, R> {
    return this.#version.byKey;
  }

  /** Changes what the limits have counted, by the numbers that they have now. For checks, ask for it together with `current`. */
  get changes(): PolicyChanges {
    return this.#version.changes;
  }

  /** Returns what the limits say about a key, whatever their functions need of a request. */
  inspect(key: Key): Eventual<Pick<KeyCounts, 'verdicts'>> {
    const { keyLook } = this.#version;
    return keyLook.views.length === 0 ? this.byKey.peek([key]) : keyLook.inspect(key);
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
      for (const store of [this.store, this.#context.claim.local])
        if (store) leaseRenewerOf(store).changeLimits(this.policy, next.nowIn(store));
      this.#joinViews();
      for (const listener of this.#listeners) listener();
    };
  }

  #joinViews(): void {
    for (const view of this.#version.keyLook.views) view.joined(this.#counter);
  }

  #versionOf(policy: Policy<A>): PolicyVersion<A, R> {
    return policyVersion(policy, this.#context, this.recorder, () => this.#version);
  }
}
