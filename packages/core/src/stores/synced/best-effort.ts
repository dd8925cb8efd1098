import type { LimitCheck } from '../store.js';
import { publishStoreError } from '../store-failure.js';

/** Makes an attempt that no request waits for. A failure is published as a store error, and nothing is thrown. */
export async function bestEffort(checks: readonly LimitCheck[], attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    publishStoreError(checks, error);
  }
}
