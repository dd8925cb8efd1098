import { optionError } from '@sluice/core/values';
import type { Enforcement } from '../file/policy-file.js';

/** The longest time for which the enforcement is set beside the file: a longer override would be forgotten by people. */
export const LONGEST_OVERRIDE_MS = 7 * 86_400_000;

/** An enforcement that somebody set beside the file, for some time. */
export interface EnforcementOverride {
  /** What holds in place of the enforcement of the file. */
  readonly mode: Enforcement;
  /** When it ends, in Unix milliseconds. */
  readonly untilMs: number;
  /** Who set it. */
  readonly by?: string;
  /** Why, as whoever set it said. */
  readonly reason?: string;
}

/** The enforcement that holds now, and who said so: undefined if the file did. */
export interface EffectiveEnforcement {
  /** What holds now. */
  readonly mode: Enforcement;
  /** Who set it. */
  readonly by: string | undefined;
  /** When it ends, in Unix milliseconds, and why it was set; undefined if nobody set one. */
  readonly untilMs?: number;
  readonly reason?: string | undefined;
}

/** The variable of the environment that comes before everything else. */
const VARIABLE = 'SLUICE_ENFORCEMENT';

/**
 * Reads the variable of the environment; undefined if it is not set.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function enforcementOfEnvironment(env: Readonly<Record<string, string | undefined>>): Enforcement | undefined {
  const value = env[VARIABLE]?.trim();
  if (value === undefined || value === '') return undefined;
  if (isEnforcement(value)) return value;
  throw optionError(VARIABLE, 'must be on, shadow or off', value);
}

export function isEnforcement(value: unknown): value is Enforcement {
  return value === 'on' || value === 'shadow' || value === 'off';
}

/** Decides which enforcement holds: the environment comes first, then an override that has not ended, then the file. */
export function effectiveEnforcement(
  environment: Enforcement | undefined,
  override: EnforcementOverride | undefined,
  file: Enforcement,
  nowMs: number,
): EffectiveEnforcement {
  if (environment !== undefined) return { mode: environment, by: VARIABLE };
  if (override !== undefined && nowMs < override.untilMs) return { ...override, by: override.by ?? 'override' };
  return { mode: file, by: undefined };
}
