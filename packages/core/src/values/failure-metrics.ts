/** How often a store failed, by kind. */
export interface FailureMetrics {
  timeout: number;
  unavailable: number;
  error: number;
}

export function newFailureMetrics(): FailureMetrics {
  return { timeout: 0, unavailable: 0, error: 0 };
}

/** Counts a failure of a store. */
export function recordFailure(counts: FailureMetrics, error: unknown): void {
  counts[kindOf(error)] += 1;
}

function kindOf(error: unknown): keyof FailureMetrics {
  const failure = (error as { storeFailure?: unknown } | null | undefined)?.storeFailure;
  return failure === 'timeout' || failure === 'unavailable' ? failure : 'error';
}
