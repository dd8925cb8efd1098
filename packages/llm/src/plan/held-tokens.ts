// Why it is so: core/docs/why/budgets-of-models.md

import type { Limit } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';
import { dialectOf } from '../dialects/dialects.js';
import type { HeldTokens } from '../request/decided-call.js';
import type { Counted } from './dimension.js';
import { type CheckedHold, type HoldKind, holdKind } from './hold.js';

/** A limit that applies to a call, and what it counts. */
export interface AppliedLimit {
  readonly counts: Counted;
  readonly limit: Limit;
}

/** What the held tokens depend on besides the call. */
interface HoldRules {
  readonly hold: CheckedHold;
  /** The output tokens of one choice without a cap: those that are expected, and the most that it is given. */
  readonly outputs: Readonly<Record<HoldKind, number>>;
  /** The most output tokens that the model makes for one choice; undefined if that is not known. */
  readonly maxOutput: number | undefined;
  readonly limits: readonly AppliedLimit[];
  /** Returns the micro-dollars of these tokens. It is asked only if a limit counts money. */
  costOf(held: HeldTokens): number;
}

/** The tokens that a call holds. */
interface Held {
  /** What limits hold that count tokens, and what those hold that count money. */
  readonly tokens: HeldTokens;
  readonly money: HeldTokens;
  /** The most output that the provider may be asked for, for all choices together. Present if a limit holds the ceiling. */
  readonly sentOutput: number | undefined;
}

/** No call makes more, and what it costs is still counted exactly. */
const MOST_OUTPUT = 1_000_000_000_000;

/** A guess takes at most this part of a limit, so that several calls fit into a small one. */
const LARGEST_PART = 4;

/**
 * Returns the tokens that a call holds. A cap that the caller states is held whole. Without a cap the output is a guess,
 * which is limited so that it alone never makes a call impossible. Nobody expects more output than the provider is asked for.
 */
export function heldTokens(call: LlmCall, rules: HoldRules): Held {
  const ofCeiling = outputOf('ceiling', call, rules);
  const isCapped = rules.limits.some(({ counts }) => isOfOutput(counts) && holdKind(rules.hold, counts) === 'ceiling');
  const ofExpected = outputOf('expected', call, rules);
  const held: Readonly<Record<HoldKind, HeldTokens>> = {
    expected: { input: call.input, output: isCapped ? Math.min(ofExpected, ofCeiling) : ofExpected },
    ceiling: { input: call.inputCeiling, output: ofCeiling },
  };
  return {
    tokens: held[rules.hold.tokens],
    money: held[rules.hold.money],
    sentOutput: isCapped ? ofCeiling : undefined,
  };
}

function isOfOutput(counts: Counted): boolean {
  return counts === 'tokens' || counts === 'output' || counts === 'money';
}

/** Returns the output that limits of one kind hold. */
function outputOf(kind: HoldKind, call: LlmCall, rules: HoldRules): number {
  const { choices, outputCap, input, inputCeiling } = call;
  const { hold, outputs, maxOutput, limits } = rules;
  const most = Math.min(maxOutput === undefined ? MOST_OUTPUT : maxOutput * choices, MOST_OUTPUT);
  if (outputCap !== undefined) return Math.min(outputCap, most);
  // A smaller hold would not make the answer smaller, where no cap can be sent.
  const { mediaRate, addsNoCap } = dialectOf(call.format);
  if (mediaRate || addsNoCap || call.batch) return Math.min(outputs[kind] * choices, most);
  const prompt = kind === 'ceiling' ? inputCeiling : input;
  const output = limits
    .filter(({ counts }) => holdKind(hold, counts) === kind)
    .reduce(
      (least, limit) => Math.min(least, outputWithin(limit, prompt, least, rules)),
      Math.min(outputs[kind] * choices, most),
    );
  // A provider needs a cap of at least one token.
  return kind === 'ceiling' ? Math.max(choices, output) : output;
}

/** Returns how much of the guessed output fits into a limit. */
function outputWithin({ counts, limit }: AppliedLimit, input: number, output: number, rules: HoldRules): number {
  if (counts === 'tokens') return part(limit.quota, input);
  if (counts === 'output') return part(limit.quota, 0);
  return counts === 'money' ? outputWithinBudget(limit.quota, input, output, rules) : output;
}

function part(quota: number, taken: number): number {
  return Math.max(0, Math.min(Math.floor(quota / LARGEST_PART), quota - taken));
}

/** The price of output is linear, so the tokens follow from the part of the cost that fits into the budget. */
function outputWithinBudget(quota: number, input: number, output: number, { costOf }: HoldRules): number {
  const ofInput = costOf({ input, output: 0 });
  const ofOutput = costOf({ input, output }) - ofInput;
  const budget = part(quota, ofInput);
  if (ofOutput <= budget) return output;
  // Both costs were rounded up, by less than one micro-dollar each.
  return Math.floor((output * Math.max(0, budget - 2)) / ofOutput);
}
