import type { PolicyFile } from '@sluice/config';
import type { ServiceAnswer } from '../service/service.js';

/** nginx keeps an answer of one second to the end of the next one. */
const SHORTEST_WAIT_MS = 2000;

/**
 * Returns whether each request of the same client will be refused for the next two seconds, so that a cache may answer for one. A
 * limit must have said so. If requests have different costs, a cheaper one could pass.
 */
export function isLastingRefusal({ decision }: ServiceAnswer, { policies }: PolicyFile): boolean {
  if (!decision || (decision.source !== 'store' && decision.source !== 'local')) return false;
  const { retryAfterMs } = decision;
  if (retryAfterMs !== 'never' && retryAfterMs < SHORTEST_WAIT_MS) return false;
  const policy = policies.get(decision.policy);
  return (
    policy?.cost.from === 'constant' &&
    policy.limits.every(({ cost }) => cost === undefined || cost.from === 'constant')
  );
}
