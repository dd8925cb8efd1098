import type { Decision } from '../values/decision.js';
import type { DurationHistogram } from '../values/duration-recorder.js';
import type { SkipReason } from '../values/events.js';
import type { Limit } from '../values/limit.js';
import {
  ALLOWED,
  allPolicyRecorders,
  type LimitRecorder,
  MOST_TENTHS,
  type PolicyRecorder,
  REFUSED,
  REFUSED_CHECKS,
  RETURNED,
  SHADOWED,
  SOURCES,
  SPENT,
  TENTHS,
  WOULD_REFUSE,
} from '../values/policy-recorder.js';

/** How often each source decided. */
export type BySource = Readonly<Record<Decision['source'], number>>;

/** What one limit of a policy has done since the process started. */
export interface LimitMetrics {
  /** The name of the limit. */
  readonly name: string;
  /** The limit as it is now; absent if a function chooses it for each request, or if the policy has it no more. */
  readonly limit?: Limit;
  /**
   * How far the limit is enforced now: a share of keys, or `'mark'`. Absent if the policy has the limit no more, or if
   * the function that says it fails.
   */
  readonly enforce?: number | 'mark';
  /** How the limit decided: `wouldRefuse` counts refusals of a limit that is not enforced for the key. */
  readonly checks: { readonly allowed: number; readonly refused: number; readonly wouldRefuse: number };
  /**
   * How many checks the limit allowed, by what was left after them: 11 numbers, of which the first is for nothing left, the
   * second for at most a tenth of the limit, and the last for more than nine tenths. The first three together are the checks
   * that came within 20 % of the limit.
   */
  readonly allowedByTenths: readonly number[];
  /**
   * Units that were spent, by requests, `charge` and `settle`. Slots are no units. Units that `countRejected` counts are
   * not included.
   */
  readonly unitsSpent: number;
  /** Units that were given back, by `cancel`, `settle` and `refund`. */
  readonly unitsReturned: number;
  /** Slots of a concurrency limit that this process holds now. */
  readonly slotsInUse: number;
  /** Whether it is a concurrency limit, or was one, or a function has chosen one that gave a slot. */
  readonly hasSlots: boolean;
  /** The delays of requests that were admitted with one: by a leaky bucket, or by `slowDown`. */
  readonly delays: DurationHistogram;
}

/** What a policy has done in this process since it started. */
export interface PolicyMetrics {
  /** The name of the policy. Policies with one name on several stores are counted together. */
  readonly policy: string;
  /**
   * Decisions about requests by their outcome and their source. Each decision has one outcome: `refused`, or `shadowed` if
   * only limits that are not enforced would have refused, or `allowed`.
   */
  readonly decisions: { readonly allowed: BySource; readonly shadowed: BySource; readonly refused: BySource };
  /**
   * Requests that no limit was asked about. Those of `skip` and `allowList` passed. Refused were those of `denyList` (403),
   * those of nobody who is known (`unknown`: by a status of `onMissingKey`, or by `unknownCustomer` of a policy file), those of
   * customers whom a policy file blocks (`blocked`), and those for which a function of the policy threw an `HttpRefusal`
   * (`refused`).
   */
  readonly skipped: Readonly<Record<SkipReason, number>>;
  /**
   * Failures of the store: it did not answer in time (`timeout`), it was not asked because it had failed before
   * (`unavailable`), or anything else (`error`).
   */
  readonly storeErrors: { readonly timeout: number; readonly unavailable: number; readonly error: number };
  /** How many requests wait in a line of this policy now. */
  readonly waiting: number;
  /** How long those waited that wait no more, also those that were refused in the end. */
  readonly waits: DurationHistogram;
  /** Every limit that the policy has, or has had. Those that were removed long ago are together in `'(others)'`. */
  readonly limits: readonly LimitMetrics[];
}

/**
 * Returns what each policy of this process has done so far. The numbers are always counted, and cost no measurable time.
 * They only grow until the process ends, except for `waiting` and `slotsInUse`.
 *
 * Of the limits that a policy has no more, the 16 that were removed last are told apart. The counts of those before them move to the
 * limit `'(others)'`.
 *
 * Each request that asks a store is counted. A `peek` is none. A request that waits in a line, or that `reconsider` makes
 * cheaper, may ask several times, and then each of its decisions is counted. At most 10,000 names of policies, and 1,000
 * names of limits for each, are told apart. Further ones are counted together as `'(others)'`.
 *
 * @example
 * for (const { policy, decisions } of policyMetrics()) console.log(policy, decisions.refused.store);
 */
export function policyMetrics(): readonly PolicyMetrics[] {
  return [...allPolicyRecorders()].map(read);
}

function read(recorder: PolicyRecorder): PolicyMetrics {
  const { policy, skipped, storeErrors, waiting, waits, limits } = recorder;
  return {
    policy,
    decisions: {
      allowed: bySource(recorder, ALLOWED),
      shadowed: bySource(recorder, SHADOWED),
      refused: bySource(recorder, REFUSED),
    },
    skipped: { ...skipped },
    storeErrors: { ...storeErrors },
    waiting,
    waits: waits.read(),
    limits: [...limits].filter(({ isKnown }) => isKnown).map(readLimit),
  };
}

function bySource({ decisions }: PolicyRecorder, outcome: number): BySource {
  return Object.fromEntries(SOURCES.map((source, i) => [source, decisions[outcome + i] as number])) as BySource;
}

function readLimit(recorder: LimitRecorder): LimitMetrics {
  const { name, numbers, slots, hasSlots, delays, limit, enforce } = recorder;
  const at = (index: number): number => numbers[index] as number;
  const allowedByTenths = [...numbers.subarray(TENTHS, TENTHS + MOST_TENTHS + 1)];
  const share = enforce && shareOf(enforce);
  return {
    name,
    ...(limit && { limit }),
    ...(share !== undefined && { enforce: share }),
    checks: {
      allowed: allowedByTenths.reduce((sum, checks) => sum + checks),
      refused: at(REFUSED_CHECKS),
      wouldRefuse: at(WOULD_REFUSE),
    },
    allowedByTenths,
    unitsSpent: at(SPENT),
    unitsReturned: at(RETURNED),
    slotsInUse: slots,
    hasSlots,
    delays: delays.read(),
  };
}

/** A function of the user that fails must not hide all numbers. */
function shareOf(enforce: () => number | 'mark'): number | 'mark' | undefined {
  try {
    return enforce();
  } catch {
    return undefined;
  }
}
