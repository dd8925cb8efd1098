import type { ChangeResult } from '@sluice/core';
import type { CallStep, FaultStep, Setup } from '../tape/tape.js';

/** What the fleet shows to whoever watches it, in the order in which it happens. */
export type Observation =
  | { readonly kind: 'began'; readonly setup: Setup; readonly atMs: number }
  | CallBegan
  | CallEnded
  | WorkBegan
  | WorkEnded
  | ModelPart
  | ModelCallEnds
  | ModelCallOver
  | { readonly kind: 'fault'; readonly atMs: number; readonly fault: FaultStep }
  /** A fault that lasts is over. */
  | { readonly kind: 'fault-over'; readonly atMs: number; readonly fault: FaultStep }
  /** A breaker of a process has changed, or its store has failed, by the events that the library publishes. */
  | {
      readonly kind: 'event';
      readonly atMs: number;
      readonly process: number;
      readonly event: string;
      readonly detail: unknown;
    }
  /** Nothing is under way any more, all faults are over, and each state has had the time to end. */
  | AtRest;

/** A step begins a call. A step with `times` begins several. `obey` begins one call for each of its requests. */
export interface CallBegan {
  readonly kind: 'call';
  /** A number of this call alone. */
  readonly call: number;
  readonly atMs: number;
  readonly process: number;
  readonly step: CallStep;
  /** The policy and the subject; those of its reservation for a call that corrects one. */
  readonly policy: string;
  readonly subject: string;
  /** Which variant of the policy was in force in this process. */
  readonly variant: number;
  /** The call whose reservation or charge this call corrects. */
  readonly corrects?: number;
}

export interface CallEnded {
  readonly kind: 'answer';
  readonly call: number;
  readonly atMs: number;
  /** Whether the process was stalled at any time since the call began. */
  readonly wasStalled: boolean;
  readonly outcome: Outcome;
}

export type Outcome =
  /** Of consume, peek, reserve, wait, obey, charge and refund. */
  | { readonly decision: DecisionSeen }
  /** Of correct. */
  | { readonly result: ChangeResult }
  /** Of unblock and reset. */
  | { readonly found: boolean }
  /** Of all others. */
  | { readonly done: true }
  | { readonly error: { readonly name: string; readonly code?: string; readonly message: string } };

/** The parts of a Decision that the documentation speaks of. */
export interface DecisionSeen {
  readonly allowed: boolean;
  readonly source: 'store' | 'local' | 'allow' | 'deny';
  readonly retryAfterMs: number | 'never';
  readonly delayMs: number;
  readonly verdicts: readonly VerdictSeen[];
}

export interface VerdictSeen {
  readonly name: string;
  readonly allowed: boolean;
  readonly cost: number;
  readonly remaining: number;
  readonly used: number;
  readonly resetAfterMs: number | 'never';
  readonly retryAfterMs: number | 'never';
  readonly delayMs: number;
  readonly shadow?: true;
  readonly blocked?: true;
  readonly guaranteed?: boolean;
}

/** Work of a line, or of a caller with a slot, begins to run. */
export interface WorkBegan {
  readonly kind: 'work';
  readonly call: number;
  readonly atMs: number;
  /** The decision that admitted it, if the work got to know it. */
  readonly decision?: DecisionSeen;
}

interface WorkEnded {
  readonly kind: 'work-over';
  readonly call: number;
  readonly atMs: number;
}

/** A part of the answer of a model has come, so the call has made progress. */
export interface ModelPart {
  readonly kind: 'model-part';
  readonly call: number;
  readonly atMs: number;
  /** How many letters of the answer have come until now. */
  readonly letters: number;
}

/** The application says that a call of a model is over. From now on it may be settled. */
export interface ModelCallEnds {
  readonly kind: 'model-call-ends';
  readonly call: number;
  readonly atMs: number;
  /** What the application says of the end. */
  readonly how: 'complete' | 'broken' | 'refused' | 'unsent' | 'abandoned';
  /** The tokens that the provider has stated until now, by sense. Absent: it has stated none. */
  readonly stated?: { readonly input: number; readonly output: number };
}

/** A call of a model was settled, as far as the application is told. */
export interface ModelCallOver {
  readonly kind: 'model-call-over';
  readonly call: number;
  readonly atMs: number;
  /** The process was warned that a call was not settled. */
  readonly hasFailed?: true;
}

interface AtRest {
  readonly kind: 'rest';
  readonly atMs: number;
  /** Of each process that runs: its timers, and the keys that its memory stores hold. */
  readonly processes: readonly { readonly process: number; readonly timers: number; readonly heldKeys: number }[];
  /** Of each server: its keys that have not expired. */
  readonly servers: readonly { readonly keys: number }[];
}
