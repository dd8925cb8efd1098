import type { Clock } from '@sluice/core';
import type { Outcome } from './exchange.js';
import type { RetryBudget } from './retry-budget.js';

/** How long a request may wait. */
export interface Patience {
  readonly signal: AbortSignal | undefined;
  readonly maxWaitMs: number;
}

/** Admits requests before they are sent, and learns from their answers. */
export interface OutgoingLimiter<Source, G extends Grant = Grant> {
  readonly clock: Clock;
  /**
   * Waits until the limits allow the request.
   *
   * @throws SluiceError `SLUICE_REFUSED` if its turn would come too late; the reason of the signal
   */
  wait(source: Source, patience: Patience): Promise<G>;
}

/** The right to send one request. */
export interface Grant {
  /** The retry budget of the server that the request goes to. */
  readonly budget: RetryBudget;
  readonly holdsSlot: boolean;
  /**
   * Call it as soon as the outcome is there. Returns whether all requests like this one stop for the time that the server
   * states, if it states one.
   */
  answered(outcome: Outcome): boolean;
  /** Takes in what the outcome states. Never rejects. */
  learn(outcome: Outcome): Promise<void>;
  /** Stops all requests like this one, in all processes. Never rejects. */
  block(ms: number): Promise<void>;
  /** Frees its slot. */
  ended(): void;
}
