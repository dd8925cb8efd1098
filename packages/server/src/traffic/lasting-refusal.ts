import type { PolicyFile } from '@sluice/config';
import type { ServiceAnswer } from '../service/service.js';

/**
 * nginx keeps an answer with `max-age=1` to the end of the next second, which is less than two. Then it sends it for less than
 * one more, while one request asks anew.
 */
const SHORTEST_WAIT_MS = 3000;

/**
 * Returns whether each request of the same client will be refused for so long that a cache may answer for one. If requests have
 * different costs, a cheaper one could pass.
 */
export function isLastingRefusal({ decision }: ServiceAnswer, { policies }: PolicyFile): boolean {
  // An address list, or a customer who is blocked or unknown: only another file changes it.
  if (!decision) return true;
  if (decision.source !== 'store' && decision.source !== 'local') return false;
  const { retryAfterMs } = decision;
  if (retryAfterMs !== 'never' && retryAfterMs < SHORTEST_WAIT_MS) return false;
  const policy = policies.get(decision.policy);
  return (
    policy?.cost.from === 'constant' &&
    policy.limits.every(({ cost }) => cost === undefined || cost.from === 'constant')
  );
}
