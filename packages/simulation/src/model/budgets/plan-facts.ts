import type { PlanNumbers, PlanSetup, Setup } from '../../tape/tape.js';

/** What a limit of a plan counts. */
export type Counted = 'requests' | 'tokens' | 'input' | 'output' | 'money' | 'slots';

/** For how long a unit counts. Slots count while they are held. */
export type Period = 'minute' | 'day' | 'month' | 'held';

/** One limit of a plan. */
export interface PlanLimitFacts {
  /** The name in verdicts: "their limits are named after the scope". */
  readonly name: string;
  readonly counts: Counted;
  readonly period: Period;
  readonly quota: number;
  /** Whether all subjects share it. */
  readonly isShared: boolean;
}

export interface PlanFacts {
  readonly name: string;
  readonly setup: PlanSetup;
  readonly limits: readonly PlanLimitFacts[];
}

/** "Which limits to set" (packages/llm/docs/llm-budgets.md). */
const LIMITS: Readonly<Record<keyof PlanNumbers, readonly [Counted, Period]>> = {
  rpm: ['requests', 'minute'],
  tpm: ['tokens', 'minute'],
  itpm: ['input', 'minute'],
  otpm: ['output', 'minute'],
  parallel: ['slots', 'held'],
  perDay: ['money', 'day'],
  perMonth: ['money', 'month'],
};

/** "A gateway waits for the store for half a second" (packages/llm/docs/llm-budgets.md, If the store fails). */
const TIMEOUT_OF_MONEY_MS = 500;

/** Returns how long a decision about a plan may take, in a store with this timeout. */
export function timeoutOfPlan({ limits, together }: PlanSetup, storeTimeoutMs: number): number {
  const isMoney = [limits, together].some(
    (numbers) => numbers?.perDay !== undefined || numbers?.perMonth !== undefined,
  );
  return isMoney && storeTimeoutMs > 0 ? TIMEOUT_OF_MONEY_MS : storeTimeoutMs;
}

export function planFacts({ plans = [] }: Setup): ReadonlyMap<string, PlanFacts> {
  return new Map(
    plans.map((setup) => [
      setup.name,
      {
        name: setup.name,
        setup,
        limits: [...limitsOf(setup.limits, ''), ...limitsOf(setup.together ?? {}, 'all-')],
      },
    ]),
  );
}

function limitsOf(numbers: PlanNumbers, prefix: string): readonly PlanLimitFacts[] {
  return Object.entries(numbers).map(([name, quota]) => {
    const [counts, period] = LIMITS[name as keyof PlanNumbers];
    return { name: `${prefix}${name}`, counts, period, quota, isShared: prefix !== '' };
  });
}
