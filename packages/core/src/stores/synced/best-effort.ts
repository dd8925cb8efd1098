import type { Check } from '../store.js';
import { publishStoreError } from '../store-failure.js';

/** Makes an attempt for which no request waits: a failure is published as the store's, and nothing throws. */
export async function bestEffort(checks: readonly Check[], attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    publishStoreError(checks, error);
  }
}
