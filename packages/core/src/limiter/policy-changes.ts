import type { ChangeResult, Correction, LimitCheck, StoreRequest, Target } from '../stores/store.js';
import { unitChecks } from '../stores/unit-checks.js';
import type { Decision } from '../values/decision.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { encodeKey, type Key } from '../values/key.js';
import type { Charge } from './charge.js';
import { type ChargeCorrection, type Correcting, correctCharge } from './charge-correction.js';
import type { DecisionReporter } from './decision-reporter.js';
import type { StoreOutcome } from './fallback.js';
import { changeOf } from './guarantee.js';
import { withOperationId } from './life/correct.js';
import { isSlot } from './life/hold.js';
import { countedNames } from './policy/guarantee.js';
import { countedOf } from './store-client.js';

/** Changes what the limits of a policy have counted, without a request: nothing is decided, and no decision is published. */
export class PolicyChanges {
  readonly #parts: Correcting;
  readonly #reporter: DecisionReporter;

  constructor(parts: Correcting, reporter: DecisionReporter) {
    this.#parts = parts;
    this.#reporter = reporter;
  }

  /**
   * Charges or gives back the cost of checks. Slots are not changed. Returns the state of the limits for a request of cost 1.
   *
   * @param checks - undefined for a skipped request
   */
  change(checks: readonly LimitCheck[] | undefined, verb: 'charge' | 'refund'): Eventual<Decision> {
    const { storeClient, store } = this.#parts;
    if (!checks) return this.#reporter.skipped();
    const request: StoreRequest = { checks: unitChecks(checks), peek: true };
    const changes = changesOf(checks, verb);
    const decision = (outcome: StoreOutcome): Decision => this.#reporter.decision(outcome);
    if (changes.every(({ cost }) => cost === 0)) return storeClient.ask(request, decision);
    return whenReady(storeClient.change(request, withOperationId({ checks: changes }, store)), decision);
  }

  /** Corrects a charge that is given as data, once. Returns what the store did. */
  correct(charge: Charge, correction: ChargeCorrection): Eventual<ChangeResult> {
    return correctCharge(charge, correction, this.#parts);
  }

  /** Removes the states of a key in every limit. Returns whether there was any. */
  reset(key: Key): Eventual<boolean> {
    return this.#parts.storeClient.reset(this.targets(key));
  }

  /** Names the states of a key in every limit. */
  targets(key: Key): readonly Target[] {
    const { name: policy, items } = this.#parts.policy;
    const encoded = encodeKey(key);
    return items.flatMap(countedNames<never>).map((name) => ({ policy, name, key: encoded }));
  }
}

function changesOf(checks: readonly LimitCheck[], verb: 'charge' | 'refund'): readonly Correction[] {
  return countedOf(checks).map((check) => {
    const units = isSlot(check) ? 0 : check.cost;
    return changeOf(check, verb === 'refund' ? 0 - units : units);
  });
}
