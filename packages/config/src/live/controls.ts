import type { EnforcementOverride } from './enforcement-order.js';

/** What the instances of a service tell each other, besides the policies. */
export interface ControlState {
  /** Undefined if nobody set one. */
  readonly enforcement: EnforcementOverride | undefined;
  /** By the name of a policy: which form of the policy a brake has taken back. */
  readonly brakes: ReadonlyMap<string, string>;
}

/** Where the instances of a service tell each other: see `redisControls`. */
export interface Controls {
  /** Reads the state. It may fail: then the last one holds. */
  read(signal: AbortSignal): Promise<ControlState>;
  /** Yields each time the state may have changed, until the signal aborts. If it fails before, it is called again after a second. */
  changes(signal: AbortSignal): AsyncIterable<void>;
  /** Sets the enforcement of all instances; undefined removes it. */
  setEnforcement(override: EnforcementOverride | undefined): Promise<void>;
  /** Tells that a brake has acted. */
  setBrake(policy: string, form: string): Promise<void>;
}
