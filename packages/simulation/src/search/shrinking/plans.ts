import type { PlanNumbers, PlanSetup, Tape } from '../../tape/tape.js';
import { type Pass, without } from './pass.js';

/** Leaves out a plan, with the calls that are about it. */
export const dropPlan: Pass = (tape, at) => {
  const { plans = [], ...setup } = tape.setup;
  if (at >= plans.length) return undefined;
  const left = without(plans, at);
  const steps = tape.steps
    .filter((step) => !('plan' in step && step.plan === at))
    .map((step) => ('plan' in step && step.plan > at ? { ...step, plan: step.plan - 1 } : step));
  return [{ ...tape, setup: left.length === 0 ? setup : { ...setup, plans: left }, steps }];
};

/** Leaves out a limit of a plan, or all that subjects share. */
export const dropPlanLimit: Pass = (tape, at) => {
  const { plans = [] } = tape.setup;
  const simpler = plans.flatMap((plan, i) => simplerPlans(plan).map((changed) => withPlan(tape, i, changed)));
  const found = simpler[at];
  return found && [found];
};

function simplerPlans({ together, ...plan }: PlanSetup): readonly PlanSetup[] {
  const both = together ? { ...plan, together } : plan;
  return [
    ...(together ? [plan] : []),
    ...fewerNumbers(plan.limits).map((limits) => ({ ...both, limits })),
    ...(together ? fewerNumbers(together).map((fewer) => ({ ...plan, together: fewer })) : []),
  ];
}

function fewerNumbers(numbers: PlanNumbers): readonly PlanNumbers[] {
  const entries = Object.entries(numbers);
  return entries.length === 1 ? [] : entries.map((_, i) => Object.fromEntries(without(entries, i)));
}

function withPlan(tape: Tape, index: number, changed: PlanSetup): Tape {
  const plans = tape.setup.plans?.map((plan, i) => (i === index ? changed : plan)) ?? [];
  return { ...tape, setup: { ...tape.setup, plans } };
}
