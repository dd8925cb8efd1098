/**
 * Returns milliseconds with their fractions, to be compared with each other. A decision takes less than one, and a `Clock` has whole ones, because
 * limits need no others. Nothing is decided by this time.
 */
export const stopwatchMs = (): number => performance.now();
