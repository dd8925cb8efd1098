import type { CallBegan, DecisionSeen, VerdictSeen } from '../fleet/observation.js';
import { costOn, type LimitFacts } from './setup-facts.js';

/** An answer about a limit: what it says, and between which moments it was true. */
export interface Seen {
  readonly began: CallBegan;
  readonly decision: DecisionSeen;
  readonly verdict: VerdictSeen;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the units that the call itself spends and its answer includes. */
export function ownUnits({ began, decision, verdict }: Seen, limit: LimitFacts): number {
  const { step } = began;
  if (step.call === 'charge') return costOn(limit, step.cost);
  if (step.call === 'peek' || step.call === 'refund') return 0;
  return decision.allowed ? verdict.cost : 0;
}
