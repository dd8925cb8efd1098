import type { CallEnded, Observation, Outcome } from '../../fleet/observation.js';
import type { CallRecord } from '../calls.js';
import type { Knowledge } from '../knowledge.js';
import type { PolicyFacts } from '../setup-facts.js';
import type { Invariant, Violation } from '../violation.js';

type ErrorSeen = Extract<Outcome, { readonly error: object }>['error'];

/** "Limits that can be leased can also be synced. Any other limit fails" (packages/core/docs/leasing.md). */
const LEASABLE: readonly string[] = ['sliding-window', 'sliding-window-log', 'fixed-window', 'token-bucket'];

/**
 * "Every error of Sluice is a `SluiceError` with a `code`." Each code has its places: "SLUICE_STORE: requests do not get this error,
 * because the policy's `onStoreError` decides instead. SLUICE_CLOSED: the store or the line was used after its `close()`.
 * SLUICE_REFUSED: a line did not run the work" (packages/core/docs/errors.md).
 */
export class Errors implements Invariant {
  readonly #knowledge: Knowledge;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  observe(observation: Observation): Violation | undefined {
    if (observation.kind !== 'answer' || !('error' in observation.outcome)) return undefined;
    const { error } = observation.outcome;
    const record = this.#knowledge.calls.record(observation.call);
    if (!record || (error.name === 'SluiceError' && this.#isPossible(error, record, observation))) return undefined;
    return {
      invariant: 'errors',
      atMs: observation.atMs,
      calls: [record.began.call],
      says: `${record.began.step.call} failed with ${error.name} ${error.code ?? 'without a code'}: ${error.message}`,
    };
  }

  #isPossible({ code }: ErrorSeen, record: CallRecord, ended: CallEnded): boolean {
    const { call } = record.began.step;
    switch (code) {
      case 'SLUICE_STORE':
        return !this.#isDecided(call) && this.#mayFail(record, ended);
      case 'SLUICE_CLOSED':
        return record.life.closingMs <= ended.atMs;
      case 'SLUICE_REFUSED':
        return call === 'run';
      case 'SLUICE_FULL':
        return call === 'block';
      case 'SLUICE_UNSUPPORTED':
        return this.#isUnsupported(record);
      case 'SLUICE_OPTION':
        return this.#isWrong(record);
      default:
        return false;
    }
  }

  #isDecided(call: string): boolean {
    return ['consume', 'peek', 'reserve', 'obey', 'wait', 'run', 'close', 'replace'].includes(call);
  }

  #mayFail({ began, life }: CallRecord, { atMs, wasStalled }: CallEnded): boolean {
    const { conditions, facts } = this.#knowledge;
    if (facts.store.isMemory) return false;
    const isSlow = 8 * facts.mostDelayMs * facts.store.nodesAsked >= facts.store.timeoutMs;
    // Where processes overtake each other, a table may take too long.
    if (!facts.keepsMessages || wasStalled || isSlow || facts.store.hasTable) return true;
    return life.closingMs <= atMs || conditions.isTroubled(began.process, began.atMs, atMs);
  }

  #isUnsupported({ began, policy, charge, life }: CallRecord): boolean {
    const { store } = this.#knowledge.facts;
    if (began.step.call === 'correct') {
      // "A charge of a MemoryStore, or one made while the store failed, is in the memory of one process."
      return store.isMemory ? !charge?.lives.includes(life) : charge?.source !== 'store' || charge.calls.length > 1;
    }
    if (!policy) return false;
    if (policy.hasSlots && ['consume', 'obey', 'charge', 'refund'].includes(began.step.call)) return true;
    const isInFront = store.leaseMs > 0 || store.syncMs > 0;
    if (isInFront && limitsOf(policy).some(({ algorithm }) => !LEASABLE.includes(algorithm))) return true;
    return store.isSharded && leakyKeysOf(policy) > 1;
  }

  /** "SLUICE_OPTION if that leaves nothing" of a bucket that is leased; and options that stores in front refuse. */
  #isWrong({ policy, correction }: CallRecord): boolean {
    const { leaseMs, syncMs } = this.#knowledge.facts.store;
    // One number does not settle limits that all have a cost of their own, and of the variants only some are such.
    if (correction?.actual !== undefined && policy && isPartlyOwn(policy)) return true;
    if (!policy || (leaseMs === 0 && syncMs === 0)) return false;
    return limitsOf(policy).some(({ rate, quota, margin, setup }) => {
      return margin > 0 || setup.guarantee !== undefined || (rate > 0 && quota <= Math.ceil((rate * leaseMs) / 1000));
    });
  }
}

function limitsOf({ variants }: PolicyFacts) {
  return variants.flat();
}

function isPartlyOwn(policy: PolicyFacts): boolean {
  return (
    limitsOf(policy).some(({ maySettle, isSettled }) => maySettle !== isSettled) ||
    new Set(policy.variants.map(isOwn)).size > 1
  );
}

function isOwn(limits: PolicyFacts['variants'][number]): boolean {
  return limits.every(({ setup }) => setup.cost !== undefined);
}

/** By how many kinds of keys the leaky buckets of a policy count, if some variants were in force together. */
function leakyKeysOf(policy: PolicyFacts): number {
  const leaky = limitsOf(policy).filter(({ algorithm }) => algorithm === 'leaky-bucket');
  return new Set(leaky.map(({ setup }) => setup.by)).size;
}
