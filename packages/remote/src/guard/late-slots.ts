import type { NetworkStore } from '@sluice/core/src/stores/network-store';
import type { StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import { publishStoreError } from '@sluice/core/src/stores/store-failure';
import { isMistake } from '@sluice/core/src/values/error';
import { usesSlots } from '@sluice/core/src/values/limit';

/**
 * Frees the slots of a response that nobody waits for any more. The request was decided without them, and they would be
 * held until their lease ends. A request that may be repeated keeps its slots, and so does a renewal.
 */
export async function freeLateSlots(
  store: Pick<NetworkStore, 'adjust'>,
  { checks, peek, renew, id, holdMs }: StoreRequest,
  { allowed, verdicts }: StoreResponse,
): Promise<void> {
  if (id === undefined || peek || renew || holdMs !== undefined || !allowed) return;
  const slots = checks.filter((check, i) => usesSlots(check.limit) && check.cost > 0 && verdicts[i]?.allowed);
  if (slots.length === 0) return;
  try {
    await store.adjust({ checks: slots.map((check) => ({ ...check, cost: -check.cost })), id });
  } catch (error) {
    if (!isMistake(error)) publishStoreError(slots, error);
  }
}
