import { MONEY } from '@sluice/core/values';

/** What a limit of a plan counts. `'held'`: the money of calls that are not settled yet. */
export type Counted = 'requests' | 'tokens' | 'input' | 'output' | 'slots' | 'money' | 'held';

/** When a limit of a plan is fresh again. `'held'`: it counts what is under way. `'ever'`: it never is. */
export type Period = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'ever' | 'held';

/** One limit that a plan can have. */
export interface Dimension {
  readonly name: DimensionName;
  readonly counts: Counted;
  readonly period: Period;
  /** The unit in verdicts and answers. */
  readonly unit: string;
}

/** The names of the limits of a plan, as in `LlmPlan`. */
export type DimensionName =
  | 'rpm'
  | 'rpd'
  | 'tpm'
  | 'tpd'
  | 'itpm'
  | 'otpm'
  | 'parallel'
  | 'perHour'
  | 'perDay'
  | 'perWeek'
  | 'perMonth'
  | 'perLifetime';

/** The units of what is counted, in verdicts and answers. */
export const UNITS: Readonly<Record<Counted, string>> = {
  requests: 'requests',
  tokens: 'tokens',
  input: 'input-tokens',
  output: 'output-tokens',
  slots: 'concurrent-requests',
  money: MONEY,
  held: 'held-micro-dollars',
};

function dimension(name: DimensionName, counts: Counted, period: Period): Dimension {
  return { name, counts, period, unit: UNITS[counts] };
}

/** All limits that a plan can have, in the order in which they are asked. */
export const DIMENSIONS: readonly Dimension[] = [
  dimension('rpm', 'requests', 'minute'),
  dimension('rpd', 'requests', 'day'),
  dimension('tpm', 'tokens', 'minute'),
  dimension('tpd', 'tokens', 'day'),
  dimension('itpm', 'input', 'minute'),
  dimension('otpm', 'output', 'minute'),
  dimension('parallel', 'slots', 'held'),
  dimension('perHour', 'money', 'hour'),
  dimension('perDay', 'money', 'day'),
  dimension('perWeek', 'money', 'week'),
  dimension('perMonth', 'money', 'month'),
  dimension('perLifetime', 'money', 'ever'),
];

/** Those that count money. */
export const MONEY_DIMENSIONS: readonly Dimension[] = DIMENSIONS.filter(({ counts }) => counts === 'money');
