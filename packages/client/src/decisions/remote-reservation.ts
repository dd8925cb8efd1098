import type { Decision, Reservation } from '@sluice/core';
import { checkSettled } from '@sluice/core/http';

/** Sends a correction. */
export type Correct = (verb: 'settle' | 'cancel', body: string) => Promise<void>;

/** Makes of a decision of the service one that can be corrected once. Without a charge there is nothing to correct. */
export function remoteReservation(decision: Decision, correct?: Correct): Reservation {
  const { policy, source, verdicts } = decision;
  /** Undefined after the correction. */
  let left = correct;
  return {
    ...decision,
    settle: async (actual) => {
      // Mistakes are found before anything is sent. A service that did not answer has not said what its limits are.
      const names = source === 'allow' ? undefined : new Set(verdicts.map(({ name }) => name));
      if (actual !== undefined) checkSettled(actual, { policy, names });
      const send = left;
      left = undefined;
      // Without an amount, the charge stays as it is.
      if (actual !== undefined) await send?.('settle', JSON.stringify({ actual }));
    },
    cancel: async () => {
      const send = left;
      left = undefined;
      await send?.('cancel', '');
    },
    // There are no slots: the service refuses policies with concurrency limits.
    release: async () => {},
  };
}
