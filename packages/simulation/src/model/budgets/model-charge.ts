import type { CallBegan, DecisionSeen, ModelCallEnds } from '../../fleet/observation.js';
import type { ModelCall } from '../../tape/tape.js';
import type { Life } from '../conditions.js';
import type { Counted, PlanFacts, PlanLimitFacts } from './plan-facts.js';

/** From the least to the most. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** A call of a model, and what is known of it. */
export interface ModelCharge {
  readonly began: CallBegan;
  readonly step: ModelCall;
  readonly plan: PlanFacts;
  readonly life: Life;
  /** Infinity: it has no answer yet, or one that says nothing of what the store did. */
  answeredMs: number;
  state: 'open' | 'held' | 'refused' | 'uncertain';
  decision: DecisionSeen | undefined;
  /** When the call last made progress. */
  movedMs: number;
  letters: number;
  /** It made no progress for so long that it may count as one that nobody ends. */
  mayBeAbandoned: boolean;
  ends: ModelCallEnds | undefined;
  overMs: number;
  /** Whether the application was told that it was not settled. */
  hasFailed: boolean;
}

/** Micro-dollars of a token of the prompt, and of one of the answer: the only price that tapes have. */
const INPUT_PRICE = 1;
const OUTPUT_PRICE = 10;

/** A token of the prompt is a word of so many letters. What else stands in a body takes at most this many tokens. */
const LETTERS_OF_A_TOKEN = 5;
const MORE_INPUT = 300;
const MOST_OUTPUT = 4096;

/** Returns what a limit was charged when the call was admitted. Without a verdict, the most that it can have been. */
export function heldOn(charge: ModelCharge, { name, counts }: PlanLimitFacts): number {
  const { decision, step } = charge;
  const cost = decision?.verdicts.find((verdict) => verdict.name === name)?.cost;
  if (cost !== undefined) return cost;
  return amountOf(counts, mostInput(charge), step.maxOutput ?? MOST_OUTPUT);
}

/** Returns the most that a call can cost on a limit, however it ends. */
export function mostOn(charge: ModelCharge, limit: PlanLimitFacts): number {
  return Math.max(heldOn(charge, limit), amountOf(limit.counts, mostInput(charge), MOST_OUTPUT));
}

/** Returns what a call costs on a limit that is charged "at least what was held". */
export function keptOn(charge: ModelCharge, limit: PlanLimitFacts): Range {
  const held = heldOn(charge, limit);
  const counted = amountOf(limit.counts, mostInput(charge), charge.letters);
  return { least: held, most: Math.max(held, counted) };
}

/**
 * Returns what a call costs on a limit when it is settled as the application says: "What is charged when"
 * (packages/llm/docs/llm-budgets.md).
 */
export function settledOn(charge: ModelCharge, limit: PlanLimitFacts, ends: ModelCallEnds): Range {
  const held = heldOn(charge, limit);
  const { stated, how } = ends;
  // "Ended, and the provider stated its usage, however the stream ended."
  if (stated) return exactly(amountOf(limit.counts, stated.input, stated.output));
  // "Was not sent": nothing, but the slot is not a charge.
  if (how === 'unsent') return exactly(0);
  if (limit.counts === 'requests') return exactly(1);
  // "The provider answered with an error, without a usage."
  if (how === 'refused') return exactly(0);
  // "Ended with a usage that makes no sense: at least what was held."
  if (charge.step.ends === 'wrong-usage') return keptOn(charge, limit);
  return brokenOn(charge, limit, held);
}

/** "Broke, or its client left, before a usage was stated: what was reported or counted so far, plus the input." */
function brokenOn(charge: ModelCharge, { counts }: PlanLimitFacts, held: number): Range {
  const { step, letters, plan } = charge;
  const { hold, unknownUsage } = plan.setup;
  // A piece of text that is not empty is at least one token, and no text has more tokens than letters. Anthropic reports a token at once.
  const reported = step.dialect === 'anthropic-messages' ? 1 : 0;
  const counted = {
    least: amountOf(counts, 1, letters > 0 ? 1 : 0),
    most: amountOf(counts, mostInput(charge), Math.max(letters, reported)),
  };
  const rule = unknownUsage ?? (hold === 'ceiling' || counts === 'money' ? 'reserved' : 'counted');
  // "Without a stream at least what was held", and so is a prompt that nobody could count.
  if (rule === 'counted' && !step.isWhole && step.unseenTokens === undefined) return counted;
  return { least: Math.max(held, counted.least), most: Math.max(held, counted.most) };
}

function amountOf(counts: Counted, input: number, output: number): number {
  switch (counts) {
    case 'requests':
    case 'slots':
      return 1;
    case 'tokens':
      return input + output;
    case 'input':
      return input;
    case 'output':
      return output;
    case 'money':
      return input * INPUT_PRICE + output * OUTPUT_PRICE;
  }
}

/** "What its body only names counts as `read.unseen` says." */
function mostInput({ step, plan }: Pick<ModelCharge, 'step' | 'plan'>): number {
  const unseen = step.unseenTokens === undefined ? 0 : (plan.setup.unseen ?? 0);
  return step.inputTokens * LETTERS_OF_A_TOKEN + MORE_INPUT + unseen;
}

export function exactly(units: number): Range {
  return { least: units, most: units };
}

/** Returns a range that has both in it. */
export function either(one: Range, other: Range): Range {
  return { least: Math.min(one.least, other.least), most: Math.max(one.most, other.most) };
}
