import { type Limit, unlimited } from '@sluice/core';
import type { BodyChange } from '../call/body-change.js';
import type { CheckedRules } from '../call/body-rules.js';
import { noteTier } from '../call/call-tier.js';
import type { LlmCall } from '../call/llm-call.js';
import {
  checkMediaRate,
  checkMediaSize,
  checkPriced,
  checkStatesUsage,
  checkToolUses,
} from '../call/priced-members.js';
import { dialectOf } from '../dialects/dialects.js';
import { askedTierOf, charactersOf, finiteUses, tiersOf } from '../money/call-cost.js';
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
  /** The call as it was read. Another model may read more of its prompt. */
  readonly asked: LlmCall;
  /** How many cheaper models were tried before. */
  readonly tried: number;
  /** What the operator's rules have changed in the body of the caller. */
  readonly ruled: readonly BodyChange[];
  /** Returns the limit that applies to the call: unlimited if its plan has none. */
  limitOf(limit: NamedLimit): Limit;
  /** Returns the units that the call spends. */
  costOf(counts: Counted): number;
}

/** What becomes a planned call. */
export type CallInput = Pick<
  PlannedCall,
  'body' | 'text' | 'bytes' | 'call' | 'plans' | 'tried' | 'degradedFrom' | 'ruled'
> & {
  /** The output tokens of one choice without a cap: those that are expected, and the most that it is given. */
  readonly outputs: Readonly<Record<HoldKind, number>>;
};

/** What is the same for all calls. */
interface CallRules {
  readonly limits: readonly NamedLimit[];
  readonly hold: CheckedHold;
  readonly prices: PriceTable | undefined;
  /** The operator's rules for members of the body. */
  readonly rules: CheckedRules;
  /** The most tokens that a tool of the provider reads in one use. */
  readonly unseen: number;
}

/**
 * Works out what a call holds, and what it costs at each limit.
 *
 * @throws LlmCallError if there are prices, and none is for its model, or they do not say what the call costs
 */
export function plannedCall(
  { outputs, ...input }: CallInput,
  { limits, hold, prices, rules, unseen }: CallRules,
): PlannedCall {
  const { plans } = input;
  const { model } = input.call;
  const call = boundedCall(input.call, prices?.maxInput(model));
  noteTier(call, plans.get(undefined)?.name);
  const listedModel = prices?.nameOf(model) ?? model;
  const dialect = dialectOf(call.format);
  const maxOutput = prices?.maxOutput(model);
  // Also without a limit of money: a model without a price is refused.
  if (prices) {
    checkPriced(input.body, prices.priced(model), rules, dialect);
    checkMediaRate(call, prices.priced(model), dialect);
  }
  checkStatesUsage(input.body, call, prices?.priced(model), dialect);
  const priceOf = moneyOf(call, { hold: hold.money, prices, unseen });
  const limitOf = (limit: NamedLimit): Limit => limitIn(plans, limit, listedModel) ?? unlimited();
  const applied = limits.map((limit): AppliedLimit => ({ counts: limit.dimension.counts, limit: limitOf(limit) }));
  const holdsCeiling = applied.some(({ counts, limit }) => counts === 'money' && limit.algorithm !== 'unlimited');
  if (prices && hold.money === 'ceiling' && holdsCeiling) checkToolUses(input.body, rules);
  const { tokens, money, sentOutput } = heldTokens(call, {
    hold,
    outputs,
    maxOutput,
    limits: applied.filter(({ limit }) => limit.algorithm !== 'unlimited'),
    costOf: priceOf,
  });
  const isByCharacters = call.characters !== undefined && prices?.priced(model).characters;
  if (sentOutput !== undefined && !isByCharacters) checkMediaSize(call, maxOutput, dialect);
  return {
    ...input,
    call,
    asked: input.call,
    listedModel,
    held: tokens,
    ...(sentOutput !== undefined && { sentCap: Math.floor(sentOutput / call.choices) }),
    limitOf,
    costOf: (counts) => (counts === 'money' || counts === 'held' ? priceOf(money) : unitsOf(counts, tokens)),
  };
}

/** A provider refuses a longer prompt, and reads no further. */
function boundedCall(call: LlmCall, maxInput: number | undefined): LlmCall {
  if (maxInput === undefined || call.inputCeiling <= maxInput) return call;
  return { ...call, input: Math.min(call.input, maxInput), inputCeiling: maxInput };
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
function moneyOf(
  call: LlmCall,
  { hold, prices, unseen }: { readonly hold: HoldKind } & Pick<CallRules, 'prices' | 'unseen'>,
): (held: HeldTokens) => number {
  if (!prices) return () => 0;
  const { model, media = false } = call;
  const tier = askedTierOf(call);
  const toolUses = finiteUses(call.toolUses) ?? {};
  if (hold === 'expected') {
    const asked = { ...(tier !== undefined && { tier }), ...charactersOf(call) };
    return (held) => prices.cost(model, { ...held, cacheRead: 0, cacheWrite: 0, ...asked });
  }
  const tiers = tiersOf(call, prices);
  const uses = Object.values(toolUses).reduce((sum, most) => sum + most, 0);
  return ({ input, output }) => {
    // After each use the model reads the prompt again, with what the tool has found and what it has written itself.
    const read = input + uses * (input + output + (uses + 1) * unseen);
    const tokens = { input: Math.min(read, Number.MAX_SAFE_INTEGER), output };
    const most = { ...tokens, tiers, toolUses, media, batch: call.batch !== undefined, ...charactersOf(call) };
    return prices.most(model, most);
  };
}
