import type { Charge, KeyHistory } from './charges.js';
import type { Conditions } from './conditions.js';
import type { SetupFacts } from './setup-facts.js';

/**
 * Whether the lease of a slot goes on for certain, if nothing frees the slot: "while the process lives, it renews the lease every third of
 * its length" (packages/core/docs/algorithms.md, Concurrency).
 */
export function isSurelyLeased(
  { beganMs, lives, source }: Charge,
  key: KeyHistory,
  atMs: number,
  { facts, conditions }: { readonly facts: SetupFacts; readonly conditions: Conditions },
): boolean {
  const leaseMs = shortestLeaseMs(key) * (1 - facts.drift);
  if (atMs < beganMs + leaseMs - 1) return true;
  if (!facts.keepsLease(leaseMs)) return false;
  // Whatever keeps a process from renewing, the last lease goes on for two thirds of its length.
  const untilMs = atMs - leaseMs / 3;
  return lives.every(
    ({ process, closingMs, endedMs }) =>
      Math.min(closingMs, endedMs) > untilMs &&
      (source === 'local'
        ? conditions.stalledMs(process, beganMs, untilMs) === 0
        : !conditions.isTroubled(process, beganMs, untilMs)),
  );
}

function shortestLeaseMs({ policy, limitName }: KeyHistory): number {
  const leases = policy.variants
    .flat()
    .filter(({ name, algorithm }) => name === limitName && algorithm === 'concurrency');
  return Math.min(...leases.map(({ windowMs }) => windowMs));
}
