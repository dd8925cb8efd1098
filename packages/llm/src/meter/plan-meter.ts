import type { Reservation } from '@sluice/core';
import type { LlmCall } from '../call/llm-call.js';
import type { CheckedOptions } from '../checked-options.js';
import { costsBy } from '../money/call-cost.js';
import type { ExpectedOutput } from '../plan/expected-output.js';
import type { HeldCounts } from '../plan/held-limits.js';
import type { NamedLimit } from '../plan/limit-names.js';
import { type SettlementRules, settlementOf } from '../settle/settlement.js';
import { BackgroundCalls } from './background-calls.js';
import type { CallOutcome } from './call-outcome.js';
import { createMeter, type EditingMeter } from './create-meter.js';

/** The parts that all meters of a plan share. */
interface PlanMeterParts {
  readonly options: CheckedOptions;
  /** The limits of the policy, by their names. */
  readonly limits: ReadonlyMap<string, NamedLimit>;
  /** What counts the money of calls under way. */
  readonly held: HeldCounts;
  /** Learns from each complete answer how much output to expect. */
  readonly learned: ExpectedOutput;
}

/** Makes the meter of a call. `onEnd` is called once at its end. */
type MakeMeter = (
  reservation: Reservation<boolean>,
  call: LlmCall,
  onEnd?: (outcome: CallOutcome) => void,
) => EditingMeter;

/** The meters of a plan, and their calls that go on in the background. */
interface PlanMeters {
  readonly meter: MakeMeter;
  readonly background: BackgroundCalls;
  /** How they settle, also for those who send calls by themselves. */
  readonly settling: SettlementRules;
}

/** Returns what makes the meters of calls under a plan: each settles what the limits of the plan count. */
export function planMeter({ options, limits, held: { counts }, learned }: PlanMeterParts): PlanMeters {
  const background = new BackgroundCalls();
  const { weights, unknownUsage, prices, hold, clock } = options;
  const settling: SettlementRules = {
    weights,
    unknownUsage,
    costOf: costsBy(prices),
    hold,
    learn: (call, output) => learned.learn(call, output),
  };
  const countedBy = (name: string) => (counts.has(name) ? 'held' : limits.get(name)?.dimension.counts);
  const settle = settlementOf(settling, countedBy);
  const maxHoldOf = ({ batch }: LlmCall): number => (batch ? options.maxBatchHoldMs : options.maxHoldMs);
  const meter: MakeMeter = (reservation, call, onEnd) =>
    createMeter({ reservation, call, clock, maxHoldMs: maxHoldOf(call), settle, background, ...(onEnd && { onEnd }) });
  return { meter, background, settling };
}
