import type { LimitCheck } from '@sluice/core/src/stores/store';
import { publishStoreError } from '@sluice/core/src/stores/store-failure';

/** Makes an attempt that no request waits for. A failure is published as a store error, and nothing is thrown. */
export async function bestEffort(checks: readonly LimitCheck[], attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    publishStoreError(checks, error);
  }
}
