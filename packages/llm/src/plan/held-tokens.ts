// Why it is so: core/docs/why/budgets-of-models.md

import type { Limit } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';
import type { HeldTokens } from '../request/decided-call.js';
import type { Counted } from './dimension.js';

/** How much a call holds until it is settled: what it probably uses, or the most that it can use. */
export type Hold = 'expected' | 'ceiling';

/** A limit that applies to a call, and what it counts. */
export interface AppliedLimit {
  readonly counts: Counted;
  readonly limit: Limit;
}

/** What the held tokens depend on besides the call. */
interface HoldRules {
  readonly hold: Hold;
  /** The output tokens that one choice is expected to have. */
  readonly expectedOutput: number;
  /** The most output tokens that the model makes for one choice; undefined if that is not known. */
  readonly maxOutput: number | undefined;
  readonly limits: readonly AppliedLimit[];
  /** Returns the micro-dollars of these tokens. It is asked only if a limit counts money. */
  costOf(held: HeldTokens): number;
}

/** No call makes more, and what it costs is still counted exactly. */
const MOST_OUTPUT = 1_000_000_000_000;

/** A guess takes at most this part of a limit, so that several calls fit into a small one. */
const LARGEST_PART = 4;

/**
 * Returns the tokens that a call holds. A cap that the caller states is held whole. Without a cap the output is a guess,
 * which is limited so that it alone never makes a call impossible.
 */
export function heldTokens(call: LlmCall, rules: HoldRules): HeldTokens {
  const { choices, outputCap } = call;
  const input = rules.hold === 'ceiling' ? call.inputCeiling : call.input;
  const most = Math.min(rules.maxOutput === undefined ? MOST_OUTPUT : rules.maxOutput * choices, MOST_OUTPUT);
  if (outputCap !== undefined) return { input, output: Math.min(outputCap, most) };
  const guess = Math.min(rules.expectedOutput * choices, most);
  const output = rules.limits.reduce(
    (least, limit) => Math.min(least, outputWithin(limit, input, least, rules)),
    guess,
  );
  // A provider needs a cap of at least one token.
  return { input, output: rules.hold === 'ceiling' ? Math.max(choices, output) : output };
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
