import type { CallBegan, DecisionSeen, VerdictSeen } from '../fleet/observation.js';
import type { Life } from './conditions.js';
import { costOn, type LimitFacts, type PolicyFacts } from './setup-facts.js';

/** A correction of a charge: from the moment at which it begins, units may be given back. */
export interface Correction {
  readonly call: number;
  /** The call whose reservation or charge it is about. */
  readonly corrects: number;
  readonly kind: 'settle' | 'cancel' | 'release' | 'share' | 'correct';
  readonly beganMs: number;
  /** Undefined: all is given back, or nothing changes, by its kind. */
  readonly actual: number | undefined;
  /** Of `share`: how long after the charge this can be corrected at most. */
  readonly expiresMs: number | undefined;
  /** Whether the reservation that it corrects was made where the charge is. A repeated call may have been decided elsewhere. */
  readonly isAtCharge: boolean;
  /** Infinity: there was no answer yet. */
  answeredMs: number;
  failed: boolean;
  /** Whether it may have come after the time in which the charge can be corrected: then the units stay as they are, and slots are freed. */
  mayBeLate: boolean;
}

/**
 * What one operation may have spent. Calls that repeat it share its charge. Its decision was made at some moment from `beganMs` to
 * `answeredMs`.
 */
export interface Charge {
  readonly began: CallBegan;
  readonly policy: PolicyFacts;
  /** The limits in force when it began, and when it was decided. */
  limits: readonly LimitFacts[];
  /** The keys that it counts by, one for each limit. */
  keys: readonly KeyHistory[];
  /** Of each call: the process that made it. */
  readonly lives: Life[];
  readonly calls: number[];
  /** When it ends by itself: "`expires` of the first call counts", and each of these calls may have been that one. */
  readonly expiries: Expiry[];
  readonly cost: number;
  /** It spends without a check. */
  readonly isUnchecked: boolean;
  /** A charge with the same id, so old that nobody knows whether it is still remembered: this one may be it, or another one. */
  readonly mayRepeat: Charge | undefined;
  beganMs: number;
  /** Infinity: nobody knows yet whether it was admitted. */
  answeredMs: number;
  /** When the last of its calls began. */
  lastBeganMs: number;
  state: 'open' | 'admitted' | 'refused' | 'unknown';
  source: DecisionSeen['source'] | undefined;
  decision: DecisionSeen | undefined;
  readonly corrections: Correction[];
  /** When the work of a line ended. Infinity: it has not. */
  workOverMs: number;
}

/** What a call says about when its reservation ends by itself. */
export interface Expiry {
  readonly beganMs: number;
  /** Infinity: it does not. */
  readonly expiresMs: number;
  readonly givesBack: boolean;
}

/** Whether a correction, if it was made, is certainly one of this charge. */
export function isCorrectedBy({ calls }: Charge, { corrects, failed, isAtCharge }: Correction): boolean {
  return !failed && isAtCharge && calls.includes(corrects);
}

/** Returns what a charge spent on a limit, as its verdict says or, without one, as the limits in force say. */
export function unitsOn(charge: Charge, limit: LimitFacts): number {
  if (limit.algorithm === 'concurrency') return 1;
  const verdict = charge.isUnchecked ? undefined : verdictOn(charge, limit);
  return verdict ? verdict.cost : costOn(limit, charge.cost);
}

/** Returns the verdict of a limit about a charge. A loop, because the model looks at each charge again and again. */
function verdictOn({ decision }: Charge, { name }: LimitFacts): VerdictSeen | undefined {
  if (decision === undefined) return undefined;
  for (const verdict of decision.verdicts) if (verdict.name === name) return verdict;
  return undefined;
}

/**
 * Returns the most units of a charge that may have been given back on a limit until some moment.
 *
 * @param aheadMs - by how much the clock that ends reservations may have gone ahead since
 */
export function mostGivenBack(charge: Charge, limit: LimitFacts, atMs: number, aheadMs: number): number {
  if (charge.state === 'open' || limit.algorithm === 'leaky-bucket') return 0;
  const units = unitsOn(charge, limit);
  const hasEnded = charge.expiries.some((one) => one.givesBack && mayBeOver(one, atMs, aheadMs));
  let most = hasEnded ? units : 0;
  for (const correction of charge.corrections) {
    if (correction.beganMs <= atMs) most = Math.max(most, givenBackBy(correction, limit.maySettle, units));
  }
  return most;
}

/** Returns what a correction gives back on a limit, which it settles or not, if it is the first one and is made. */
export function givenBackBy({ kind, actual }: Correction, settles: boolean, units: number): number {
  switch (kind) {
    case 'cancel':
      return units;
    case 'settle':
    case 'correct':
      if (actual === undefined) return kind === 'correct' ? units : 0;
      return settles ? Math.max(0, units - actual) : 0;
    default:
      return 0;
  }
}

/** Returns the most that corrections may have charged beyond the estimate, on a limit. */
export function mostChargedMore(charge: Charge, limit: LimitFacts): number {
  if (!limit.maySettle || limit.algorithm === 'concurrency') return 0;
  const units = unitsOn(charge, limit);
  let most = 0;
  for (const { actual } of charge.corrections) most = Math.max(most, (actual ?? 0) - units);
  return most;
}

/**
 * Whether a reservation may have ended by itself.
 *
 * @param aheadMs - by how much the clock that ends reservations may have gone ahead since
 */
export function mayBeOver({ beganMs, expiresMs }: Expiry, atMs: number, aheadMs: number): boolean {
  return atMs + aheadMs >= beganMs + expiresMs - 1;
}

/** Units that were given back to a key, and belong to no charge; or that it was forgotten. */
export interface Return {
  readonly beganMs: number;
  /** Infinity: nobody knows when, or whether, it happens. */
  answeredMs: number;
  readonly units: number;
}

/** Everything that is known of one key of one limit, since it was fresh. */
export class KeyHistory {
  readonly policy: PolicyFacts;
  readonly limitName: string;
  readonly algorithm: LimitFacts['algorithm'];
  readonly #freshAfterMs: number;
  /** Whatever may have spent, in the order in which it began. */
  charges: Charge[] = [];
  /** What was admitted by the store or by a process, in the order of the answers. */
  admitted: Charge[] = [];
  refunds: Return[] = [];
  resets: Return[] = [];
  /** When it was first used. */
  bornMs: number;
  /** When it was last used. Infinity: it is being used. */
  usedMs: number;
  /** How many calls about it have no answer yet. */
  open = 0;
  /** Whether units were recorded beyond the limit: the oldest may then be dropped. */
  wasOvercharged = false;

  constructor(policy: PolicyFacts, { name, algorithm }: LimitFacts, bornMs: number) {
    this.policy = policy;
    this.limitName = name;
    this.algorithm = algorithm;
    this.#freshAfterMs = policy.freshAfterMs.get(name) ?? Number.POSITIVE_INFINITY;
    this.bornMs = bornMs;
    this.usedMs = bornMs;
  }

  /** Forgets what came before, if nobody has used the key for so long that it is fresh whatever there was. */
  use(atMs: number): void {
    if (this.open === 0 && atMs > this.usedMs + this.#freshAfterMs) {
      this.charges = [];
      this.admitted = [];
      this.refunds = [];
      this.resets = [];
      this.wasOvercharged = false;
      this.bornMs = atMs;
    }
    this.usedMs = Math.max(this.usedMs, atMs);
  }
}

/** "The charge can be corrected for `rememberFor`, and for an hour at least; with `expires`, for an hour after that" (packages/core/docs/answers.md). */
const LEAST_CORRECTABLE_MS = 3_600_000;

/** Returns how long after its charge an operation can be corrected. */
export function correctableMs({ rememberMs = 0, expiresMs = 0 }: { rememberMs?: number; expiresMs?: number }): number {
  return Math.max(rememberMs, expiresMs + LEAST_CORRECTABLE_MS);
}
