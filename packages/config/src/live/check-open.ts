import { SluiceError } from '@sluice/core';

/**
 * Checks that policies are not closed.
 *
 * @param signal - aborted when they are
 * @throws SluiceError `SLUICE_CLOSED`
 */
export function checkOpen(signal: AbortSignal): void {
  if (signal.aborted) throw new SluiceError('SLUICE_CLOSED', 'the policies are closed');
}
