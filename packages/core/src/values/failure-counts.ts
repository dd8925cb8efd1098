/** How often a store failed, by kind. */
export interface FailureCounts {
  timeout: number;
  unavailable: number;
  error: number;
}

export function newFailureCounts(): FailureCounts {
  return { timeout: 0, unavailable: 0, error: 0 };
}

/** Counts a failure of a store. */
export function countFailure(counts: FailureCounts, error: unknown): void {
  counts[kindOf(error)] += 1;
}

function kindOf(error: unknown): keyof FailureCounts {
  const failure = (error as { storeFailure?: unknown } | null | undefined)?.storeFailure;
  return failure === 'timeout' || failure === 'unavailable' ? failure : 'error';
}
