import type { LivePolicies } from '@sluice/config';

/** Why policies are not those of the newest file: at most one reason. */
export function policyTroubles(live: Pick<LivePolicies, 'status'>): readonly string[] {
  const { lastReload, revision } = live.status();
  return lastReload.successful ? [] : [`policies: the newest file is rejected, and ${revision} goes on`];
}
