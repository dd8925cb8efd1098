import { createLimiter, type Decision, type PolicyMetrics, policyMetrics, type Store } from '@sluice/core';
import type { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';

/** What a script does, one step after the other. */
export const countedSteps = fc.array(
  fc.record({
    verb: fc.constantFrom('consume', 'consume', 'consume', 'reserve', 'settle', 'cancel', 'peek', 'skip', 'charge'),
    who: fc.constantFrom('ann', 'bob', 'carla'),
    cost: fc.nat(4),
    settled: fc.nat(6),
    passesMs: fc.constantFrom(0, 0, 1, 400, 5000),
  }),
  { maxLength: 40, size: 'max' },
);

type Step = typeof countedSteps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

type Totals = Pick<PolicyMetrics, 'decisions' | 'skipped'> & {
  readonly limits: readonly Pick<
    PolicyMetrics['limits'][number],
    'checks' | 'allowedByTenths' | 'unitsSpent' | 'unitsReturned'
  >[];
};

const LIMITS = [
  { name: 'enforced', limit: 8, window: '1s' },
  { name: 'tried', limit: 3, window: '4s', enforce: 0 },
  { name: 'half', limit: 6, window: '2s', enforce: 0.5 },
] as const;

/** How many limits each policy of a script has: with one, a memory store decides by its quick route. */
export const limitsOfPolicies = [1, 3] as const;

/** Plays a script, and returns what was counted meanwhile, and what its decisions add up to. */
export async function playCounted(
  store: Store,
  clock: ManualClock,
  policy: string,
  limits: (typeof limitsOfPolicies)[number],
  script: readonly Step[],
): Promise<{ readonly counted: Totals; readonly expected: Totals }> {
  const limiter = createLimiter<string>({
    name: policy,
    limits: LIMITS.slice(0, limits),
    store,
    ...(limits > 1 && { skip: (who: string) => who === 'skipped' }),
  });
  const expected = noTotals(limits);
  for (const { verb, who, cost, settled, passesMs } of script) {
    clock.advance(passesMs);
    if (verb === 'peek') await limiter.peek(who, { cost });
    else if (verb === 'consume') note(expected, await limiter.consume(who, { cost }));
    else if (verb === 'charge') {
      await limiter.charge(who, { cost });
      for (const limit of expected.limits) limit.unitsSpent += cost;
    } else if (verb === 'skip') {
      if (limits === 1) continue;
      await limiter.consume('skipped');
      expected.skipped.skip += 1;
    } else {
      const reservation = await limiter.reserve(who, { cost });
      note(expected, reservation);
      if (verb === 'reserve') continue;
      const most = verb === 'settle' ? settled : 0;
      if (verb === 'settle') await reservation.settle(settled);
      else await reservation.cancel();
      reservation.verdicts.forEach(({ allowed }, i) => {
        const limit = expected.limits[i] as ReturnType<typeof noTotals>['limits'][number];
        if (!allowed || !reservation.allowed) return;
        if (most > cost) limit.unitsSpent += most - cost;
        else limit.unitsReturned += cost - most;
      });
    }
  }
  const { decisions, skipped, limits: of } = policyMetrics().find((one) => one.policy === policy) as PolicyMetrics;
  const counted = of.map(({ checks, allowedByTenths, unitsSpent, unitsReturned }) => {
    return { checks, allowedByTenths, unitsSpent, unitsReturned };
  });
  return { counted: { decisions, skipped, limits: counted }, expected };
}

function noTotals(limits: number) {
  const bySource = () => ({ store: 0, local: 0, allow: 0, deny: 0 });
  return {
    decisions: { allowed: bySource(), shadowed: bySource(), refused: bySource() },
    skipped: { skip: 0, allowList: 0, denyList: 0, unknown: 0, blocked: 0, refused: 0 },
    limits: Array.from({ length: limits }, () => ({
      checks: { allowed: 0, refused: 0, wouldRefuse: 0 },
      allowedByTenths: new Array<number>(11).fill(0),
      unitsSpent: 0,
      unitsReturned: 0,
    })),
  };
}

/** Adds what a decision says about itself. */
function note(totals: ReturnType<typeof noTotals>, { allowed, shadowed, source, verdicts }: Decision): void {
  totals.decisions[allowed ? (shadowed ? 'shadowed' : 'allowed') : 'refused'][source] += 1;
  verdicts.forEach((verdict, i) => {
    const limit = totals.limits[i] as (typeof totals)['limits'][number];
    if (!verdict.allowed) limit.checks[verdict.shadow ? 'wouldRefuse' : 'refused'] += 1;
    else {
      limit.checks.allowed += 1;
      const tenths = Array.from({ length: 11 }, (_, tenth) => tenth);
      const bucket = tenths.find((tenth) => 10 * verdict.remaining <= tenth * verdict.limit.quota) as number;
      limit.allowedByTenths[bucket] = (limit.allowedByTenths[bucket] as number) + 1;
      if (allowed) limit.unitsSpent += verdict.cost;
    }
  });
}
