import type { LivePolicies, PolicyStatus } from '@sluice/config';
import { type StoreMetrics, storeMetrics } from '@sluice/core';
import type { Readiness } from '../readiness.js';

/** The state of an instance, as `GET /readyz?verbose` shows it to operators. It contains no keys and no tokens. */
interface VerboseHealth {
  readonly ready: boolean;
  /** Why decisions are not those of the store, or not those of the newest file; empty if all is well. */
  readonly degraded: readonly string[];
  readonly policies: Pick<PolicyStatus, 'revision' | 'origin' | 'enforcement' | 'lastReload' | 'braked'>;
  readonly stores: readonly Pick<StoreMetrics, 'store' | 'breaker' | 'errors' | 'keys' | 'maxKeys' | 'evictedKeys'>[];
}

/** Returns what operators see. The admin port answers with it, behind the read token. */
export function verboseHealth(readiness: Readiness, live: Pick<LivePolicies, 'status'>): VerboseHealth {
  const { revision, origin, enforcement, lastReload, braked } = live.status();
  return {
    ready: readiness.isReady,
    degraded: readiness.degraded,
    policies: { revision, origin, enforcement, lastReload, braked },
    stores: storeMetrics().map(({ operations, ...rest }) => rest),
  };
}
