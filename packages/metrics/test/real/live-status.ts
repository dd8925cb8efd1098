import type { PolicySource } from '@sluice/metrics';

/** What live policies would tell about a file with tiers. */
export const LIVE: PolicySource = {
  status: () => ({
    revision: '4f1c',
    enforcement: 'on',
    reloads: { applied: 2, unchanged: 7, rejected: 1 },
    lastReload: { successful: true, succeededAtMs: 1_790_000_000_000 },
    limits: [
      { policy: 'plans', limit: 'minute', tier: 'free', quota: 60, windowMs: 60_000, enforce: 1 },
      { policy: 'plans', limit: 'minute', tier: 'pro', quota: 600, windowMs: 60_000, enforce: 1 },
    ],
    braked: [],
  }),
};
