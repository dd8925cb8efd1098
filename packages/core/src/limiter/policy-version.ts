import type { Store } from '../stores/store.js';
import type { PolicyRecorder } from '../values/policy-recorder.js';
import { CheckBuilder, type KeySource } from './check-builder.js';
import { DecisionReporter } from './decision-reporter.js';
import { Engine } from './engine.js';
import { KeyLook } from './key-look.js';
import { type LimitChange, limitChange } from './limit-change.js';
import { mayDelay, mayTakeSlots } from './policy/abilities.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
import { type ByKey, KEY_ITSELF, policyByKey } from './policy-by-key.js';
import { PolicyChanges } from './policy-changes.js';
import type { GrantedReservation, ReservationClass } from './reservation.js';
import { ReservationCharges } from './reservation-charges.js';
import { StoreClient } from './store-client.js';

type Args = readonly unknown[];

/** What a policy decides with, in whatever version it is. */
export interface EngineContext<A extends Args, R extends GrantedReservation> {
  readonly store: Store;
  readonly keys: KeySource<A>;
  readonly claim: NameClaim;
  readonly Granted: ReservationClass<R>;
}

/** One version of a policy, ready to decide. */
export interface PolicyVersion<A extends Args, R extends GrantedReservation> {
  readonly reporter: DecisionReporter;
  /** Gives checks of an earlier version the numbers that their limits have here, in the store that was charged. */
  readonly nowIn: (store: Store) => LimitChange;
  readonly byRequest: Engine<A, R>;
  readonly byKey: Engine<ByKey, R>;
  readonly changes: PolicyChanges;
  readonly keyLook: KeyLook;
}

/**
 * Makes a version of a policy.
 *
 * @param current - returns the version that decides now: earlier ones correct their charges by its numbers
 */
export function policyVersion<A extends Args, R extends GrantedReservation>(
  policy: Policy<A>,
  { store, keys, claim, Granted }: EngineContext<A, R>,
  recorder: PolicyRecorder,
  current: () => PolicyVersion<A, R>,
): PolicyVersion<A, R> {
  const { items } = policy;
  const reporter = new DecisionReporter(policy);
  const storeClient = new StoreClient(policy, store, claim, recorder);
  const { calendarBounds } = storeClient;
  const now = limitChange(items);
  const nowIn = (charged: Store): LimitChange => storeClient.changeIn(charged, now);
  const limitsNow = (charged: Store): LimitChange | undefined =>
    current() === version ? undefined : current().nowIn(charged);
  const charges = new ReservationCharges(items, store, storeClient, limitsNow);
  const parts = {
    storeClient,
    reporter,
    charges,
    Granted,
    mayDelay: items.some(mayDelay),
    mayTakeSlots: items.some(mayTakeSlots),
  };
  const withoutView = policyByKey({ ...policy, items: items.filter(({ keyView }) => keyView === undefined) });
  const version: PolicyVersion<A, R> = {
    reporter,
    nowIn,
    byRequest: new Engine(new CheckBuilder(policy, keys, calendarBounds), parts),
    byKey: new Engine(new CheckBuilder(policyByKey(policy), KEY_ITSELF, calendarBounds), parts),
    changes: new PolicyChanges({ policy, ownsCost: charges.ownsCost, store, claim, storeClient, nowIn }, reporter),
    keyLook: new KeyLook({
      policy: policy.name,
      items,
      storeClient,
      byKey: new CheckBuilder(withoutView, KEY_ITSELF, calendarBounds),
    }),
  };
  return version;
}
