import { Health } from '../health/health.js';
import { policyTroubles } from '../health/policy-troubles.js';
import { StoreHealth } from '../health/store-health.js';
import type { Service } from '../service/service.js';
import type { OpenedStore } from './opened-store.js';

/** The health of an instance, and the end of watching its store. */
interface OpenHealth {
  readonly health: Health;
  close(): void;
}

/** Watches what a service decides by: its store, and its policies. */
export function openHealth({ live, store }: Service, { startError }: Pick<OpenedStore, 'startError'>): OpenHealth {
  const storeHealth = new StoreHealth(store, startError);
  const health = new Health(() => [...storeHealth.troubles, ...policyTroubles(live)]);
  return { health, close: () => storeHealth.close() };
}
