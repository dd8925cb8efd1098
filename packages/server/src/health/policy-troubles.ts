import type { LivePolicies } from '@sluice/config';

/** Why policies are not those of the newest file, and why nobody can throw the kill switch of this instance from elsewhere. */
export function policyTroubles(live: Pick<LivePolicies, 'status'>): readonly string[] {
  const { lastReload, revision, controlsTrouble } = live.status();
  return [
    ...(lastReload.successful ? [] : [`policies: the newest file is rejected, and ${revision} goes on`]),
    ...(controlsTrouble === undefined ? [] : [`controls: the kill switch cannot be read: ${controlsTrouble}`]),
  ];
}
