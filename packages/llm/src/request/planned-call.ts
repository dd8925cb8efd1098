import { type Limit, unlimited } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';
import { checkPriced } from '../call/unpriced-member.js';
import type { PriceTable } from '../money/price-table.js';
import type { Counted } from '../plan/dimension.js';
import { type AppliedLimit, heldTokens } from '../plan/held-tokens.js';
import type { CheckedHold, HoldKind } from '../plan/hold.js';
import type { NamedLimit } from '../plan/limit-names.js';
import type { PlanLimits } from '../plan/plan-limits.js';
import type { DecidedCall, HeldTokens } from './decided-call.js';

/** A call, and what each limit of the policy has to know about it. */
export interface PlannedCall extends DecidedCall {
  /** The plans of the call by their scopes; the caller's own plan has none. */
  readonly plans: ReadonlyMap<string | undefined, PlanLimits>;
  /** The model as the price table lists it. An alias is no other model to limits. */
  readonly listedModel: string;
  /** How many cheaper models were tried before. */
  readonly tried: number;
  /** What its limits hold. */
  readonly hold: CheckedHold;
  /** Returns the limit that applies to the call: unlimited if its plan has none. */
  limitOf(limit: NamedLimit): Limit;
  /** Returns the units that the call spends. */
  costOf(counts: Counted): number;
}

/** What becomes a planned call. */
export type CallInput = Pick<PlannedCall, 'body' | 'text' | 'call' | 'plans' | 'tried' | 'degradedFrom'> & {
  /** The output tokens of one choice without a cap: those that are expected, and the most that it is given. */
  readonly outputs: Readonly<Record<HoldKind, number>>;
};

/** What is the same for all calls. */
interface CallRules {
  readonly limits: readonly NamedLimit[];
  readonly hold: CheckedHold;
  readonly prices: PriceTable | undefined;
  /** What happens to a call that may cost more than its tokens. */
  readonly unpriced: 'refuse' | 'allow';
}

/**
 * Works out what a call holds, and what it costs at each limit.
 *
 * @throws LlmCallError if there are prices, and none is for its model, or they do not say what the call costs
 */
export function plannedCall(
  { outputs, ...input }: CallInput,
  { limits, hold, prices, unpriced }: CallRules,
): PlannedCall {
  const { call, plans } = input;
  const { model } = call;
  const listedModel = prices?.nameOf(model) ?? model;
  const priceOf = moneyOf(call, hold.money, prices);
  // Also without a limit of money: a model without a price is refused.
  if (prices) priceOf({ input: 0, output: 0 });
  if (prices && unpriced === 'refuse') checkPriced(input.body);
  const limitOf = (limit: NamedLimit): Limit => limitIn(plans, limit, listedModel) ?? unlimited();
  const applied = limits.map((limit): AppliedLimit => ({ counts: limit.dimension.counts, limit: limitOf(limit) }));
  const { tokens, money, sentOutput } = heldTokens(call, {
    hold,
    outputs,
    maxOutput: prices?.maxOutput(model),
    limits: applied.filter(({ limit }) => limit.algorithm !== 'unlimited'),
    costOf: priceOf,
  });
  return {
    ...input,
    listedModel,
    hold,
    held: tokens,
    ...(sentOutput !== undefined && { sentCap: Math.floor(sentOutput / call.choices) }),
    limitOf,
    costOf: (counts) => (counts === 'money' ? priceOf(money) : unitsOf(counts, tokens)),
  };
}

/** Returns the limit that the plan of a scope has; undefined if it has none. */
function limitIn(
  plans: PlannedCall['plans'],
  { dimension, isOfModel, scope }: NamedLimit,
  model: string,
): Limit | undefined {
  const plan = plans.get(scope);
  const limits = isOfModel ? plan?.models.get(model) : plan?.own;
  return limits?.[dimension.name];
}

function unitsOf(counts: Counted, held: HeldTokens): number {
  if (counts === 'tokens') return held.input + held.output;
  return counts === 'input' || counts === 'output' ? held[counts] : 1;
}

/** Returns the function that says what tokens of a call cost at most, or probably. */
function moneyOf({ model }: LlmCall, hold: HoldKind, prices: PriceTable | undefined): (held: HeldTokens) => number {
  return ({ input, output }) => {
    if (!prices) return 0;
    if (hold === 'ceiling') return prices.most(model, { input, output });
    return prices.cost(model, { input, output, cacheRead: 0, cacheWrite: 0 });
  };
}
