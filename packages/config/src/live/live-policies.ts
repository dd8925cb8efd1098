// Why it is so: core/docs/why/policy-files.md

import type { Duration } from '@sluice/core';
import type { CompiledPolicy } from '../compile/compile-context.js';
import type { ExplainOptions } from '../explain/explain-policies.js';
import type { ExplainedPolicy } from '../explain/explanation.js';
import type { Mistake } from '../file/mistake.js';
import type { Enforcement, PolicyFile } from '../file/policy-file.js';
import type { PolicyStatus } from './policy-status.js';

/** Who changes something, and why: the audit line says it. */
export interface ChangeReason {
  /** Who does it. */
  readonly by?: string;
  /** Why. */
  readonly reason?: string;
}

/** How `setEnforcement` changes what holds. */
export interface SetEnforcementOptions extends ChangeReason {
  /** How long it holds: 1 ms to 7 days. To change it for longer, write `enforcement:` into the file. */
  readonly for: Duration;
}

/** How `reload` reads the source. */
export interface ReloadOptions extends ChangeReason {
  /**
   * Whether the text may lack policies that decide now, so that they are unknown from then on. It says nothing about other changes
   * that look like an accident. Default: false.
   */
  readonly allowRemovals?: boolean;
}

/** What a reload did. */
export interface ReloadResult {
  /** Whether the text was applied, was the same as before, or was rejected. */
  readonly outcome: 'applied' | 'unchanged' | 'rejected';
  /** The revision that decides now. */
  readonly revision: string;
  /** Why the text was rejected. */
  readonly mistakes?: readonly Mistake[];
}

/** Policies that change while requests run: see `policies`. */
export interface LivePolicies<Req extends object = object, Async extends boolean = boolean> {
  /**
   * Returns a policy of the file, as options for every adapter's `rateLimit` and for `createLimiter`. It is the same object each
   * time. What you make from it follows the file: you never have to make it again.
   *
   * If a later file has no such policy any more, what you made from it goes on with the limits that it had.
   *
   * @throws SluiceError `SLUICE_OPTION` if the file has no policy of this name
   * @example app.use('/v1', rateLimit(live.policy('api')));
   */
  policy(name: string): CompiledPolicy<Req, Async>;
  /**
   * Returns a policy of the file with options that only HTTP has, such as `message`. These do not change. Otherwise it is as without
   * them, and counts together with it. The same options give the same object.
   *
   * @throws SluiceError `SLUICE_OPTION` if the file has no policy of this name, an option belongs to the file, or it was given with
   *   another value before
   */
  policy<Http extends object>(name: string, http: Http): CompiledPolicy<Req, Async> & Http;
  /** The revision of the file that decides now: the first 12 digits of the SHA-256 of its text. */
  readonly revision: string;
  /** The file that decides now. */
  readonly file: PolicyFile;
  /** What metrics show, and what an administrator asks. */
  status(): PolicyStatus;
  /** Says in plain sentences what the policies do now: see `explainPolicies`. */
  explain(options?: Omit<ExplainOptions, 'nowMs'>): readonly ExplainedPolicy[];
  /**
   * Reads the source now. It never throws for a bad text: the result lists its mistakes, and the policies before it go on.
   *
   * @throws SluiceError `SLUICE_OPTION`; `SLUICE_CLOSED` after `close`
   * @example await live.reload({ allowRemovals: true, by: 'ann', reason: 'nobody asks for login any more' });
   */
  reload(options?: ReloadOptions): Promise<ReloadResult>;
  /**
   * Changes how all policies are enforced, for some time: the kill switch. It comes before the file, and after the variable
   * `SLUICE_ENFORCEMENT` of the environment. With `controls` it holds in all instances, otherwise in this process.
   *
   * @throws SluiceError `SLUICE_OPTION`; `SLUICE_SOURCE` if the controls cannot be reached; `SLUICE_CLOSED` after `close`; why a policy
   *   cannot follow: it stays as it is, and the others follow
   * @example await live.setEnforcement('shadow', { for: '1h', by: 'ann', reason: 'limits refuse too much' });
   */
  setEnforcement(mode: Enforcement, options: SetEnforcementOptions): Promise<void>;
  /**
   * Takes back what `setEnforcement` has set.
   *
   * @throws SluiceError as `setEnforcement`
   */
  clearEnforcement(options?: ChangeReason): Promise<void>;
  /** Ends reading. The policies go on deciding as they are. */
  close(): Promise<void>;
}
