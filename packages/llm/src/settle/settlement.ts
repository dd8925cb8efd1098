// Why it is so: core/docs/why/budgets-of-models.md

import type { Reservation } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';
import { dialectOf } from '../dialects/dialects.js';
import type { CallOutcome, Settlement } from '../meter/call-outcome.js';
import type { Counted } from '../plan/dimension.js';
import { type CheckedHold, holdKind } from '../plan/hold.js';
import { MOST_TOKENS, type Usage } from '../usage/usage.js';
import { type CheckedWeights, weightedTokens } from './token-weights.js';

/** What a call cost whose provider did not state its final usage: what was counted, or at least what was held. */
export type UnknownUsage = 'counted' | 'reserved';

/** What a settlement depends on besides the call, whatever its limits are called. */
export interface SettlementRules {
  readonly weights: CheckedWeights;
  /**
   * Returns the micro-dollars of a usage, rounded up once; undefined if nobody knows the price: a call that may have cost something then
   * keeps what it holds.
   */
  costOf(call: LlmCall, usage: Usage): number | undefined;
  /** What limits hold. A ceiling that is given back by estimates would be none. */
  readonly hold: CheckedHold;
  /** Absent: money, and what holds the ceiling, at least as held, and all else as counted. */
  readonly unknownUsage?: UnknownUsage | undefined;
  /** Learns from a complete answer how much output to expect. Absent: nobody does. */
  learn?(call: LlmCall, output: number): void;
}

/** Returns what a limit counts, by its name; undefined for a limit that is not one of a plan. */
type CountedBy = (limit: string) => Counted | undefined;

/**
 * Returns the function that says how to settle a call.
 *
 * | End                              | requests | tokens                    | money                      |
 * | -------------------------------- | -------- | ------------------------- | -------------------------- |
 * | final usage                      | as held  | actual, weighted          | actual, rounded up once    |
 * | not sent                         | 0        | 0                         | 0                          |
 * | an error without a usage         | as held  | 0                         | 0                          |
 * | broken, no final usage           | as held  | counted + estimated input | the same, at least as held |
 * | the same, and the prompt unseen  | as held  | at least as held          | at least as held           |
 * | abandoned, or no stream of text  | as held  | at least as held          | at least as held           |
 * | a stated usage that has no sense | as held  | at least as held          | at least as held           |
 *
 * What was counted is charged even where "what was held" is the rule, if it is more: the provider has made it.
 */
export function settlementOf(rules: SettlementRules, countedBy: CountedBy): Settlement {
  return (call, outcome, held) => {
    const { end, usage } = outcome;
    if (end === 'complete' && !call.batch && usage.complete && isSound(usage)) rules.learn?.(call, usage.output);
    const amounts: Record<string, number> = {};
    const charge = chargeOf(rules, call, outcome);
    for (const [limit, heldUnits] of Object.entries(held)) {
      const counts = countedBy(limit);
      // Whatever the call cost, nothing of it is held any more.
      const units = counts === 'held' ? 0 : counts && charge(counts, heldUnits);
      if (units !== undefined) amounts[limit] = units;
    }
    const [tokens, money] = [heldOn(countedBy, held, 'tokens'), heldOn(countedBy, held, 'money')];
    const microDollars = charge('money', money ?? 0) ?? money;
    return {
      amounts,
      ...(microDollars !== undefined && { microDollars }),
      held: { ...(tokens !== undefined && { tokens }), ...(money !== undefined && { microDollars: money }) },
    };
  };
}

/** Returns what the first limit holds that counts this; undefined if there is none. */
function heldOn(countedBy: CountedBy, held: Readonly<Record<string, number>>, counts: Counted): number | undefined {
  const name = Object.keys(held).find((limit) => countedBy(limit) === counts);
  return name === undefined ? undefined : held[name];
}

/** Returns the units of one limit; undefined if it keeps what it holds. */
type Charge = (counts: Exclude<Counted, 'held'>, held: number) => number | undefined;

function chargeOf(rules: SettlementRules, call: LlmCall, { end, usage, parts }: CallOutcome): Charge {
  if (end === 'unsent') return (counts) => (counts === 'slots' ? undefined : 0);
  if (end === 'refused') return (counts) => (counts === 'slots' || counts === 'requests' ? undefined : 0);
  if (!(parts ?? [usage]).every(isSound)) return () => undefined;
  if (parts) return chargeOfParts(rules, call, { parts, isKnown: end === 'complete' });
  if (end === 'complete' && usage.complete) return (counts) => unitsOf(rules, call, usage, counts);
  // Nobody can count a prompt of which the body has only the name.
  const isKnown = call.unseen !== true || hasInput(usage);
  return (counts, held) => {
    const input = holdKind(rules.hold, counts) === 'ceiling' ? call.inputCeiling : call.input;
    const units = unitsOf(rules, call, withInput(usage, input), counts);
    if (units === undefined || (isKnown && isCounted(rules, end, call, counts))) return units;
    return Math.max(units, held);
  };
}

/** Each call of a batch is charged by itself. If some are not known, at least what was held is charged. */
function chargeOfParts(
  rules: SettlementRules,
  call: LlmCall,
  { parts, isKnown }: { readonly parts: readonly Usage[]; readonly isKnown: boolean },
): Charge {
  return (counts, held) => {
    const known = parts.reduce<number | undefined>((sum, part) => {
      const units = unitsOf(rules, call, part, counts);
      return sum === undefined || units === undefined ? undefined : sum + units;
    }, 0);
    if (known === undefined || counts === 'requests' || counts === 'slots') return undefined;
    return isKnown ? known : Math.max(known, held);
  };
}

/** Whether an unknown usage is charged as counted, even if less was counted than held. */
function isCounted(
  { unknownUsage, hold }: SettlementRules,
  end: CallOutcome['end'],
  { stream, format }: LlmCall,
  counts: Counted,
): boolean {
  // An answer that is no stream comes whole or not at all, and nobody counts images and sound.
  if (end === 'abandoned' || !stream || dialectOf(format).mediaRate) return false;
  if (unknownUsage !== undefined) return unknownUsage === 'counted';
  return counts !== 'money' && hold.tokens === 'expected';
}

/** Returns what a limit counts of a usage; undefined if it keeps what it holds. */
function unitsOf(
  { weights, costOf }: SettlementRules,
  call: LlmCall,
  usage: Usage,
  counts: Exclude<Counted, 'held'>,
): number | undefined {
  if (counts === 'money') return costOf(call, usage);
  return counts === 'requests' || counts === 'slots' ? undefined : weightedTokens(usage, weights)[counts];
}

/** Adds the estimated prompt if the provider has not stated one. */
function withInput(usage: Usage, input: number): Usage {
  return hasInput(usage) ? usage : { ...usage, input };
}

/** Whether the provider has stated the prompt. */
function hasInput({ input, cacheRead, cacheWrite }: Usage): boolean {
  return input + cacheRead + cacheWrite > 0;
}

const PARTS = ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'] as const;

/** Whether a usage makes sense: whole numbers that fit together. */
function isSound(usage: Usage): boolean {
  const isWhole = PARTS.every((part) => {
    const { [part]: tokens } = usage;
    return Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS;
  });
  const { cacheWrite1h = 0, cacheWrite } = usage;
  const isPart = Number.isSafeInteger(cacheWrite1h) && cacheWrite1h >= 0 && cacheWrite1h <= cacheWrite;
  return isWhole && isPart && usage.reasoning <= usage.output && areParts(usage);
}

/** Whether the parts of sound and images fit into the whole, and the rest that has a price is whole numbers. */
function areParts(usage: Usage): boolean {
  const { audioInput = 0, imageInput = 0, audioOutput = 0, imageOutput = 0, statedMicroDollars = 0, toolUses } = usage;
  const counts = [
    audioInput,
    imageInput,
    audioOutput,
    imageOutput,
    statedMicroDollars,
    ...Object.values(toolUses ?? {}),
  ];
  return (
    counts.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    audioInput + imageInput <= usage.input &&
    audioOutput + imageOutput <= usage.output
  );
}

/** Returns what a reservation was charged, by the names of its limits. */
export function heldBy({ verdicts }: Pick<Reservation<boolean>, 'verdicts'>): Readonly<Record<string, number>> {
  return Object.fromEntries(verdicts.map(({ name, cost }) => [name, cost]));
}
