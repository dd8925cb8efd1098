import type { DecisionSeen, Observation, Outcome, VerdictSeen } from '../../src/fleet/observation.js';
import { Model, type Violation } from '../../src/model/model.js';
import type {
  CallStep,
  FaultStep,
  LimitNumbers,
  LimitSetup,
  PolicySetup,
  Setup,
  StoreSetup,
} from '../../src/tape/tape.js';

type Of<Kind extends CallStep['call']> = Extract<CallStep, { readonly call: Kind }>;

/** What a test says of a call; the rest is as in most calls. */
export type Said = { readonly process?: number; readonly subject?: number; readonly variant?: number } & Record<
  string,
  unknown
>;

export const REDIS: StoreSetup = { kind: 'redis', server: 0, timeoutMs: 50, instances: 2 };

/** A limit named `a`. */
export function limitOf(limit: LimitNumbers, more: Partial<LimitSetup> = {}): LimitSetup {
  return { name: 'a', limit, by: 'subject', ...more };
}

export function setupOf(
  limits: readonly LimitSetup[] | readonly (readonly LimitSetup[])[],
  more: Partial<Setup> = {},
  policy: Partial<PolicySetup> = {},
): Setup {
  const variants = (limits.every((one) => Array.isArray(one)) ? limits : [limits]) as PolicySetup['variants'];
  return {
    processes: [{ clockAheadMs: 0 }, { clockAheadMs: 0 }],
    servers: [{ kind: 'redis', clockAheadMs: 0 }],
    store: REDIS,
    policies: [{ name: 'p', onStoreError: 'local', variants, ...policy }],
    network: { delayMs: [1, 3], slow: 0, slowMs: 0, breaks: 0, twice: 0 },
    lastsMs: 100_000,
    ...more,
  };
}

/** A history of a fleet, written by hand: what was called, and what was answered. */
export class History {
  readonly #model = new Model();
  readonly #setup: Setup;
  readonly #found: Violation[] = [];
  readonly #began = new Map<number, { readonly subject: string; readonly variant: number }>();
  #calls = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.see({ kind: 'began', setup, atMs: 0 });
  }

  /** The names of the promises that were broken. */
  get broken(): readonly string[] {
    return this.#found.map(({ invariant }) => invariant);
  }

  get found(): readonly Violation[] {
    return this.#found;
  }

  see(observation: Observation): this {
    const violation = this.#model.observe(observation);
    if (violation) this.#found.push(violation);
    return this;
  }

  /** Begins a call, and returns its number. */
  begin<Kind extends CallStep['call']>(call: Kind, atMs: number, said: Said = {}, corrects?: number): number {
    this.#calls += 1;
    const { variant = 0, ...step } = said;
    const made = corrects === undefined ? undefined : this.#began.get(corrects);
    const { process = 0, subject = 0 } = said;
    const seen = { subject: made?.subject ?? `s${subject}`, variant: made?.variant ?? variant };
    this.#began.set(this.#calls, seen);
    this.see({
      kind: 'call',
      call: this.#calls,
      atMs,
      process,
      step: {
        atMs,
        call,
        policy: 0,
        cost: 1,
        as: this.#calls,
        of: corrects,
        ...step,
        process,
        subject,
      } as unknown as Of<Kind>,
      policy: this.#setup.policies[0]?.name ?? '',
      ...seen,
      ...(corrects !== undefined && { corrects }),
    });
    return this.#calls;
  }

  /** Ends a call. */
  end(call: number, atMs: number, outcome: Outcome, wasStalled = false): this {
    return this.see({ kind: 'answer', call, atMs, wasStalled, outcome });
  }

  /** A call that is decided within two milliseconds. Returns its number. */
  decided(kind: CallStep['call'], atMs: number, said: Said, decision: DecisionSeen): number {
    const call = this.begin(kind, atMs, said);
    this.end(call, atMs + 2, { decision });
    return call;
  }

  /** An admission of which no numbers are told. */
  admitted(kind: CallStep['call'], atMs: number, said: Said = {}, decision: Partial<DecisionSeen> = {}): number {
    return this.decided(kind, atMs, said, decisionOf([], decision));
  }

  /** A correction that is made within two milliseconds. */
  corrected(
    kind: CallStep['call'],
    atMs: number,
    corrects: number,
    said: Said = {},
    outcome: Outcome = { done: true },
  ): number {
    const call = this.begin(kind, atMs, said, corrects);
    this.end(call, atMs + 2, outcome);
    return call;
  }

  /** Any other call, done within two milliseconds. */
  done(kind: CallStep['call'], atMs: number, said: Said = {}, outcome: Outcome = { done: true }): number {
    const call = this.begin(kind, atMs, said);
    this.end(call, atMs + 2, outcome);
    return call;
  }

  fault(fault: FaultStep): this {
    return this.see({ kind: 'fault', atMs: fault.atMs, fault });
  }
}

export function verdictOf(said: Partial<VerdictSeen> = {}): VerdictSeen {
  return {
    name: 'a',
    allowed: true,
    cost: 1,
    remaining: 0,
    used: 1,
    resetAfterMs: 0,
    retryAfterMs: 0,
    delayMs: 0,
    ...said,
  };
}

export function decisionOf(verdicts: readonly VerdictSeen[], said: Partial<DecisionSeen> = {}): DecisionSeen {
  const allowed = verdicts.every((verdict) => verdict.allowed || verdict.shadow);
  return { allowed, source: 'store', retryAfterMs: 0, delayMs: 0, verdicts, ...said };
}

/** A refusal by the limit `a`. */
export function refusalOf(said: Partial<VerdictSeen> = {}, decision: Partial<DecisionSeen> = {}): DecisionSeen {
  return decisionOf([verdictOf({ allowed: false, remaining: 0, retryAfterMs: 100, ...said })], {
    allowed: false,
    retryAfterMs: 100,
    ...decision,
  });
}
