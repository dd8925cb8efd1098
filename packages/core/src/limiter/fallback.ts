// Why it is so: docs/why/remote-stores.md

import { withCalendarBounds } from '../stores/calendar-checks.js';
import { changedCheck } from '../stores/check-parts.js';
import type { ChangeResponse, LimitCheck, Store, StoreRequest, StoreResponse, Target } from '../stores/store.js';
import { unitChecks } from '../stores/unit-checks.js';
import type { CalendarBoundsCache } from '../values/calendar.js';
import type { Decision } from '../values/decision.js';
import { isMistake } from '../values/error.js';
import type { PolicyRecorder } from '../values/policy-recorder.js';
import { fallbackVerdict } from './fallback-verdict.js';
import { InstanceShares } from './instance-shares.js';
import type { LimitChange } from './limit-change.js';
import type { Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
import { recordCorrections } from './settle.js';
import { reportStoreFailure } from './store-failure-report.js';

/** The result of a request: who decided it, and what was charged in which store. */
export interface StoreOutcome {
  /** The request, including unlimited tiers. */
  readonly request: StoreRequest;
  /** The checks that were counted. If a share of the limit replaces a limit, they have the share. */
  readonly checks: readonly LimitCheck[];
  /** Its verdicts are in the order of `checks`. */
  readonly response: Pick<StoreResponse, 'verdicts' | 'atMs' | 'timesMs' | 'attempt'>;
  readonly source: Decision['source'];
  /** The store that was charged; undefined if none was. */
  readonly store: Store | undefined;
}

/** Decides in place of a failed store, as `onStoreError` says. */
export class Fallback {
  readonly #choice: Policy<never>['onStoreError'];
  readonly #store: Store;
  readonly #claim: NameClaim;
  readonly #calendarBounds: CalendarBoundsCache;
  readonly #recorder: PolicyRecorder;
  readonly #shares: InstanceShares;

  constructor(
    { onStoreError }: Pick<Policy<never>, 'onStoreError'>,
    store: Store,
    claim: NameClaim,
    bounds: CalendarBoundsCache,
    recorder: PolicyRecorder,
  ) {
    this.#choice = onStoreError;
    this.#shares = new InstanceShares(store.remote?.instances ?? 1);
    this.#store = store;
    this.#claim = claim;
    this.#calendarBounds = bounds;
    this.#recorder = recorder;
  }

  /** Removes states that were counted in this process. Returns how many. */
  reset(targets: readonly Target[]): number {
    return this.#claim.local?.reset(targets) ?? 0;
  }

  /** Decides a request. `counted` are its checks that a store counts. */
  answer(request: StoreRequest, counted: readonly LimitCheck[], error: unknown): StoreOutcome {
    this.#report(error);
    return this.#choice === 'local'
      ? this.#answerLocally(request, counted)
      : this.#decideByChoice(request, counted, this.#choice);
  }

  /** Charges in this process what the store could not record, which is the strict side. */
  charge(changes: readonly LimitCheck[], error: unknown): void {
    this.#report(error);
    const charges = changes.filter(({ cost }) => cost > 0);
    if (this.#choice === 'local' && charges.length > 0) this.#chargeLocally(charges);
  }

  /** The same, and returns the state of the limits after it. Units that were to be given back stay spent. */
  change(request: StoreRequest, changes: readonly LimitCheck[], error: unknown): StoreOutcome {
    this.#report(error);
    if (this.#choice !== 'local') return this.#decideByChoice(request, unitChecks(changes), this.#choice);
    const charges = changes.map((check) => changedCheck(check, ({ cost }) => ({ cost: Math.max(0, cost) })));
    return { request, checks: changes, response: this.#chargeLocally(charges), source: 'local', store: undefined };
  }

  /** Returns the change to these limits for checks that were charged here: they have the shares of their limits. */
  changeHere(change: LimitChange): LimitChange {
    return this.#shares.changeOf(change);
  }

  /** Returns the units that an amount is charged as if it is checked against this instance's share. */
  chargeOf({ limit }: LimitCheck, amount: number): number {
    return this.#shares.isWhole ? amount : Math.min(amount, limit.quota);
  }

  /** Reports a failure of the store. A mistake of the program is thrown instead. */
  #report(error: unknown): void {
    if (isMistake(error)) throw error;
    reportStoreFailure(this.#store, this.#recorder, this.#choice, error);
  }

  /** Decides by the choice alone: nothing is counted. */
  #decideByChoice(request: StoreRequest, checks: readonly LimitCheck[], source: 'allow' | 'deny'): StoreOutcome {
    const verdicts = checks.map((check) => fallbackVerdict(check, source));
    return { request, checks, response: { verdicts, atMs: 0 }, source, store: undefined };
  }

  /** The charged calendar interval may be over. Then the current one is charged. */
  #chargeLocally(charges: readonly LimitCheck[]): ChangeResponse {
    const store = this.#claim.localStore(this.#store.clock);
    const checks = this.#shares.of(charges);
    recordCorrections(this.#recorder, checks);
    const response = store.adjust({ checks });
    if (response.result !== 'outside-calendar-bounds') return response;
    return store.adjust({ checks: withCalendarBounds(this.#calendarBounds, checks, response.atMs) });
  }

  #answerLocally(request: StoreRequest, counted: readonly LimitCheck[]): StoreOutcome {
    const store = this.#claim.localStore(this.#store.clock);
    const checks = this.#shares.of(counted);
    return { request, checks, response: store.consume({ ...request, checks }), source: 'local', store };
  }
}
