import { type Decision, type Reservation, SluiceError, type Verdict } from '@sluice/core';
import { optionError, show } from '@sluice/core/http';

/** The amounts of a settlement. */
type Amounts = number | Readonly<Record<string, number>>;

/** Sends a correction. */
export type Correct = (verb: 'settle' | 'cancel', body: string) => Promise<void>;

/** A decision of the service that can be corrected once. Without a charge there is nothing to correct. */
export class RemoteReservation implements Reservation {
  readonly policy: string;
  readonly allowed: boolean;
  readonly verdicts: readonly Verdict[];
  readonly tightest: Verdict;
  readonly retryAfterMs: number | 'never';
  readonly delayMs: number;
  readonly shadowed: boolean;
  readonly source: Decision['source'];
  declare exceeded?: true;
  /** Undefined after the correction. */
  #correct: Correct | undefined;

  constructor(decision: Decision, correct: Correct | undefined) {
    this.policy = decision.policy;
    this.allowed = decision.allowed;
    this.verdicts = decision.verdicts;
    this.tightest = decision.tightest;
    this.retryAfterMs = decision.retryAfterMs;
    this.delayMs = decision.delayMs;
    this.shadowed = decision.shadowed;
    this.source = decision.source;
    if (decision.exceeded) this.exceeded = true;
    this.#correct = correct;
  }

  async settle(actual?: Amounts): Promise<void> {
    if (actual !== undefined) this.#check(actual);
    const correct = this.#correct;
    this.#correct = undefined;
    // Without an amount, the charge stays as it is.
    if (actual !== undefined) await correct?.('settle', JSON.stringify({ actual }));
  }

  async cancel(): Promise<void> {
    const correct = this.#correct;
    this.#correct = undefined;
    await correct?.('cancel', '');
  }

  /** There are no slots: the service refuses policies with concurrency limits. */
  async release(): Promise<void> {}

  /** Finds mistakes before anything is sent. */
  #check(actual: Amounts): void {
    if (typeof actual !== 'object' || actual === null) {
      checkAmount(actual);
      return;
    }
    if (Symbol.iterator in actual) {
      throw optionError('settle', 'must be an amount, or a record of amounts by limit name', actual);
    }
    const names = this.verdicts.map(({ name }) => name);
    for (const [name, amount] of Object.entries(actual)) {
      const rule = `is not a limit of the policy ${JSON.stringify(this.policy)}: its limits are ${names.join(', ')}`;
      if (this.source !== 'allow' && !names.includes(name)) throw optionError(`settle.${name}`, rule, amount);
      checkAmount(amount);
    }
  }
}

/** @throws SluiceError `SLUICE_COST` */
export function checkAmount(amount: unknown): void {
  if (Number.isSafeInteger(amount) && (amount as number) >= 0) return;
  throw new SluiceError('SLUICE_COST', `a cost must be a safe integer of at least 0, got ${show(amount)}`, {
    received: amount,
  });
}
