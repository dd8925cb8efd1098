import type { Clock } from '@sluice/core';
import { reasonOf, warn } from '@sluice/core/values';
import type { ControlState, Controls } from './controls.js';
import type { EnforcementOverride } from './enforcement-order.js';
import { followChanges } from './follow-changes.js';
import { formOf, type RuleInForce } from './policy-state.js';

/** The kill switch and the brakes as this instance knows them, with or without others. */
export class InstanceControls {
  readonly #shared: Controls | undefined;
  /** The brakes of this instance. They hold even if the others have not heard of them, or know an older form. */
  readonly #ownBrakes = new Map<string, string>();
  #state: ControlState = { enforcement: undefined, brakes: new Map() };
  #trouble: string | undefined;
  /** Why policies cannot follow, by their name. */
  #stuck: ReadonlyMap<string, string> = new Map();

  constructor(shared: Controls | undefined) {
    this.#shared = shared;
  }

  get enforcement(): EnforcementOverride | undefined {
    return this.#state.enforcement;
  }

  /** Why nothing can be read now; undefined if the last read had an answer. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Whether a brake has acted on this form of a policy. */
  isBraked({ file, rule }: RuleInForce): boolean {
    if (rule.brake === undefined) return false;
    const form = formOf(file, rule);
    return this.#ownBrakes.get(rule.name) === form || this.#state.brakes.get(rule.name) === form;
  }

  /** Sets the enforcement of all instances. It changes nothing here if the others cannot be told. */
  async setEnforcement(enforcement: EnforcementOverride | undefined): Promise<void> {
    await this.#shared?.setEnforcement(enforcement);
    this.#state = { ...this.#state, enforcement };
  }

  /** Notes that a brake has acted. If the others cannot be told, their own brakes act. */
  brake({ file, rule }: RuleInForce): void {
    const form = formOf(file, rule);
    this.#ownBrakes.set(rule.name, form);
    this.#shared?.setBrake(rule.name, form).catch(() => {});
  }

  /** An operator has to hear of a policy that cannot follow. It is told once for each reason. */
  warnOfStuck(errors: ReadonlyMap<string, unknown>): void {
    const before = this.#stuck;
    this.#stuck = new Map([...errors].map(([policy, error]) => [policy, reasonOf(error)]));
    for (const [policy, reason] of this.#stuck) {
      if (before.get(policy) === reason) continue;
      warn(
        'SLUICE_CONTROLS',
        `the policy ${JSON.stringify(policy)} cannot follow the enforcement, and stays as it is: ${reason}`,
      );
    }
  }

  /** Reads what the others say. Returns false without an answer: the last one holds then, until it ends by itself. */
  async read(signal: AbortSignal): Promise<boolean> {
    if (!this.#shared) return false;
    try {
      this.#state = await this.#shared.read(signal);
      this.#trouble = undefined;
      return true;
    } catch (error) {
      if (!signal.aborted) this.#failed(reasonOf(error));
      return false;
    }
  }

  /** An operator who throws the kill switch has to hear that this instance does not see it. */
  #failed(reason: string): void {
    if (this.#trouble === undefined) {
      warn('SLUICE_CONTROLS', `the kill switch and the brakes of other instances cannot be read: ${reason}`);
    }
    this.#trouble = reason;
  }

  /** Calls `changed` each time the others may have said something new, until the signal aborts. */
  async follow(clock: Clock, signal: AbortSignal, changed: () => void): Promise<void> {
    const told = this.#shared;
    if (!told) return;
    await followChanges({ told, name: 'controls', clock, signal }, async () => {
      if (await this.read(signal)) changed();
    });
  }
}
