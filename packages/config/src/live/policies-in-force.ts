import type { Clock, PolicyEvent, Store } from '@sluice/core';
import type { CodeFunctions, CompiledPolicy } from '../compile/compile-context.js';
import { compilePolicy, unknownPolicy } from '../compile/compile-policy.js';
import { type ExplainOptions, explainPolicies } from '../explain/explain-policies.js';
import type { ExplainedPolicy } from '../explain/explanation.js';
import type { Enforcement, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { WakeUp } from '../source/wake-up.js';
import type { Audit } from './audit.js';
import { BrakeWatch, type Trial } from './brake-watch.js';
import { effectiveEnforcement } from './enforcement-order.js';
import type { InstanceControls } from './instance-controls.js';
import type { ChangeReason } from './live-policies.js';
import { PolicyHandles } from './policy-handles.js';
import {
  type Applied,
  fileInForce,
  formOf,
  isOnTrial,
  nextMomentMs,
  type PolicyState,
  type RuleInForce,
  rulesInForce,
  stateChanges,
} from './policy-state.js';

/** The parts that `PoliciesInForce` uses besides the file. */
interface ForceParts<Req extends object, Async extends boolean> {
  readonly code: CodeFunctions<Req> & { readonly store: Store<Async> };
  readonly controls: InstanceControls;
  /** The enforcement that the environment sets. */
  readonly environment: Enforcement | undefined;
  readonly audit: Audit;
}

/**
 * The policies that decide now: those of the last file that was applied, as the kill switch, brakes and steps of rollouts let
 * them. It follows time and brakes by itself.
 */
export class PoliciesInForce<Req extends object, Async extends boolean> {
  readonly #parts: ForceParts<Req, Async>;
  readonly #clock: Clock;
  readonly #handles = new PolicyHandles<Req, Async>();
  readonly #brakes: BrakeWatch;
  readonly #timeChange = new WakeUp();
  /** The names of the policies that somebody has asked for. */
  readonly #given = new Set<string>();
  /** Set by the first `apply`. */
  #state!: PolicyState;

  constructor(parts: ForceParts<Req, Async>) {
    this.#parts = parts;
    this.#clock = parts.code.store.clock;
    this.#brakes = new BrakeWatch(
      (policy) => this.#brake(policy),
      () => this.#clock.now(),
    );
  }

  get state(): PolicyState {
    return this.#state;
  }

  /** Puts a file into force. If it fails, nothing changes. */
  apply(applied: Applied): void {
    this.#put(this.#stateWith(applied, this.#retiredBy(applied.file)));
  }

  /** Notes that the same file comes from another place. */
  moveTo(origin: string): void {
    const { applied } = this.#state;
    this.#state = { ...this.#state, applied: { ...applied, origin } };
  }

  /**
   * Takes over what an operator has changed. A policy that cannot follow stays as it is, and the others follow.
   *
   * @throws SluiceError why the first policy cannot follow
   */
  refresh(change: ChangeReason = {}): void {
    for (const error of this.#follow(change).values()) throw error;
  }

  /** Takes over what time, other instances or a brake have changed. It warns of a policy that cannot follow, as nobody asks for it. */
  keepUp(change: ChangeReason = {}): void {
    this.#parts.controls.warnOfStuck(this.#follow(change));
  }

  /** Reports an event about the file that is in force. */
  report(event: Omit<PolicyEvent, 'at' | 'origin'>): void {
    this.#parts.audit.report({ at: this.#clock.now(), origin: this.#state.applied.origin, ...event });
  }

  /** See `LivePolicies`. */
  policy<Http extends object = object>(name: string, http?: Http): CompiledPolicy<Req, Async> & Http {
    const { policies } = this.#state.applied.file;
    const handle = policies.has(name) ? this.#handles.get(name) : undefined;
    if (!handle) throw unknownPolicy(name, policies.keys());
    this.#given.add(name);
    return this.#handles.extended(handle, http ?? {}) as CompiledPolicy<Req, Async> & Http;
  }

  /** See `LivePolicies`. */
  explain(options: Omit<ExplainOptions, 'nowMs'>): readonly ExplainedPolicy[] {
    return explainPolicies(fileInForce(this.#state), { ...options, nowMs: this.#clock.now() });
  }

  /** One sleep for all policies: until the next step of a rollout, or the end of an override. */
  async followTime(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = this.#clock.now();
      const momentMs = nextMomentMs(this.#state, this.#parts.controls.enforcement?.untilMs ?? 0, nowMs);
      const isOpen = await this.#timeChange.next(this.#clock, momentMs - nowMs, signal);
      if (!isOpen) return;
      if (this.#clock.now() >= momentMs) this.keepUp();
    }
  }

  /** Ends listening. The policies go on deciding as they are. */
  close(): void {
    this.#brakes.close();
  }

  /** The policies that a file lacks, and that somebody uses. */
  #retiredBy(file: PolicyFile): ReadonlyMap<string, PolicyFile> {
    if (!this.#state) return new Map();
    const { applied, retired } = this.#state;
    const known = [...retired, ...[...applied.file.policies.keys()].map((name) => [name, applied.file] as const)];
    return new Map(known.filter(([name]) => this.#given.has(name) && !file.policies.has(name)));
  }

  #stateWith(applied: Applied, retired: ReadonlyMap<string, PolicyFile>): PolicyState {
    const { controls, environment } = this.#parts;
    const { file } = applied;
    const braked = rulesInForce({ applied, retired }).filter((one) => controls.isBraked(one));
    return {
      applied,
      retired,
      enforcement: effectiveEnforcement(environment, controls.enforcement, file.enforcement, this.#clock.now()),
      braked: new Set(braked.map(({ rule }) => rule.name)),
    };
  }

  /** Puts all policies of a state into force in one step, or throws and changes nothing. */
  #put(state: PolicyState): void {
    const { mode } = state.enforcement;
    const compiled = (enforcement: Enforcement) =>
      rulesInForce(state).map((one) => this.#compiled(one, state, enforcement));
    // While it is off, no limit is made. What is wrong with one must be told now, and not when off ends.
    if (mode === 'off') this.#handles.prepare(compiled('on'));
    this.#handles.prepare(compiled(mode))();
    this.#keep(state);
  }

  /** Lets each policy follow everything but its file. Returns the errors of those that stay as they are. */
  #follow({ by, reason }: ChangeReason): ReadonlyMap<string, unknown> {
    const before = this.#state;
    const state = this.#stateWith(before.applied, before.retired);
    const stuck = new Map<string, unknown>();
    for (const one of rulesInForce(state)) {
      try {
        this.#handles.prepare([this.#compiled(one, state, state.enforcement.mode)])();
      } catch (error) {
        stuck.set(one.rule.name, error);
      }
    }
    this.#keep(state);
    this.#reportChanges(before, by ?? state.enforcement.by, reason ?? state.enforcement.reason);
    return stuck;
  }

  #keep(state: PolicyState): void {
    this.#state = state;
    this.#brakes.watch(this.#onTrial());
    this.#timeChange.ring();
  }

  #reportChanges(before: PolicyState, by: string | undefined, reason: string | undefined): void {
    const changes = stateChanges(before, this.#state, this.#clock.now());
    if (changes.length === 0) return;
    const { revision } = before.applied;
    const why = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
    this.report({ revision, previous: revision, outcome: 'applied', changes, ...why });
  }

  #compiled(
    { file, rule: { name } }: RuleInForce,
    { braked }: PolicyState,
    enforcement: Enforcement,
  ): CompiledPolicy<Req, Async> {
    return compilePolicy<Req, Async>(file, name, { ...this.#parts.code, enforcement, braked: braked.has(name) });
  }

  #onTrial(): readonly Trial[] {
    const { enforcement, braked } = this.#state;
    if (enforcement.mode !== 'on') return [];
    const nowMs = this.#clock.now();
    return rulesInForce(this.#state)
      .filter(({ rule }) => isOnTrial(rule, nowMs) && !braked.has(rule.name))
      .map(({ file, rule }) => ({ rule, form: formOf(file, rule) }));
  }

  #brake(name: string): void {
    const braked = rulesInForce(this.#state).find(({ rule }) => rule.name === name);
    if (!braked || this.#state.braked.has(name)) return;
    this.#parts.controls.brake(braked);
    this.keepUp({ by: 'brake', reason: reasonOf(braked.rule) });
  }
}

/** Why a brake acts. */
function reasonOf({ brake }: PolicyRule): string {
  const share = Math.round((brake?.refused ?? 0) * 10_000) / 100;
  return `at least ${share} % of the enforced keys were refused`;
}
