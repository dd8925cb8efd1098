import type { Check } from '../store.js';
import { publishStoreError } from '../store-failure.js';

/** Makes an attempt for which no request waits: a failure is told of as the store's, and let go. */
export async function bestEffort(checks: readonly Check[], attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    publishStoreError(checks, error);
  }
}
