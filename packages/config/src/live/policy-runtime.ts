import type { Clock, PolicyEvent, Store } from '@sluice/core';
import { SluiceError } from '@sluice/core';
import { checkOneOf, checkOptions, durationMs } from '@sluice/core/http';
import type { CodeFunctions, CompiledPolicy } from '../compile/compile-context.js';
import { compilePolicy, unknownPolicy } from '../compile/compile-policy.js';
import { type ExplainOptions, explainPolicies } from '../explain/explain-policies.js';
import type { ExplainedPolicy } from '../explain/explanation.js';
import type { Mistake } from '../file/mistake.js';
import type { Enforcement, PolicyFile } from '../file/policy-file.js';
import { type PolicyCheck, type ReadPolicyFile, readPolicyFileInSlices } from '../file/read-policy-file.js';
import type { Source, SourceText } from '../source/source.js';
import { WakeUp } from '../source/wake-up.js';
import { Audit, type AuditWriter } from './audit.js';
import { BrakeWatch, type Trial } from './brake-watch.js';
import { changesInSlices } from './changes-in-slices.js';
import type { Controls } from './controls.js';
import { effectiveEnforcement } from './enforcement-order.js';
import { suspicionsOf } from './guard.js';
import { InstanceControls } from './instance-controls.js';
import type { LastGoodText } from './last-good-text.js';
import { limitStatuses } from './limit-statuses.js';
import type { LivePolicies, ReloadResult, SetEnforcementOptions } from './live-policies.js';
import { PolicyHandles } from './policy-handles.js';
import {
  type Applied,
  fileInForce,
  formOf,
  isOnTrial,
  nextMomentMs,
  type PolicyState,
  rulesInForce,
  stateChanges,
} from './policy-state.js';
import type { PolicyStatus } from './policy-status.js';
import { mistakeOf, policyFileError, wholeMistake } from './policy-text.js';
import { type Rejected, ReloadRecord } from './reload-record.js';

/** What live policies are made of, after checks. */
export interface RuntimeParts<Req extends object, Async extends boolean> {
  readonly source: Source;
  readonly code: CodeFunctions<Req> & { readonly store: Store<Async> };
  readonly check: PolicyCheck | undefined;
  readonly cache: LastGoodText | undefined;
  readonly audit: AuditWriter | undefined;
  readonly controls: Controls | undefined;
  /** What the environment says. */
  readonly environment: Enforcement | undefined;
}

/** Reads, applies and follows the policies of a source. */
export class PolicyRuntime<Req extends object, Async extends boolean> implements LivePolicies<Req, Async> {
  readonly #parts: RuntimeParts<Req, Async>;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #handles = new PolicyHandles<Req, Async>();
  readonly #brakes: BrakeWatch;
  readonly #end = new AbortController();
  readonly #timeChange = new WakeUp();
  readonly #loops: Promise<void>[] = [];
  /** Reloads run one after another. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Set by `start`. */
  #state!: PolicyState;
  /** The names of the policies that somebody has asked for. */
  readonly #given = new Set<string>();
  readonly #controls: InstanceControls;
  readonly #record: ReloadRecord;

  constructor(parts: RuntimeParts<Req, Async>) {
    this.#parts = parts;
    this.#clock = parts.code.store.clock;
    this.#audit = new Audit(parts.audit);
    this.#controls = new InstanceControls(parts.controls);
    this.#record = new ReloadRecord(this.#clock);
    this.#brakes = new BrakeWatch(
      (policy) => this.#brake(policy),
      () => this.#clock.now(),
    );
  }

  /** Applies the first text, and begins to follow the source. */
  async start(): Promise<void> {
    const { signal } = this.#end;
    await this.#controls.read(signal);
    const { text, missing } = await this.#firstText(signal);
    const { file, mistakes } = await this.#read(text);
    if (mistakes) throw policyFileError(mistakes);
    const applied: Applied = { file, revision: text.revision, origin: text.origin };
    this.#put(this.#stateWith(applied, new Map()));
    this.#record.succeeded('applied');
    if (missing) this.#record.failed(missing);
    this.#tell({ revision: applied.revision, previous: undefined, outcome: 'applied', changes: [] });
    await this.#parts.cache?.write(text.text);
    this.#loops.push(this.#followSource(signal), this.#followTime(signal));
    this.#loops.push(this.#controls.follow(signal, () => this.#refresh()));
  }

  get revision(): string {
    return this.#state.applied.revision;
  }

  get file(): PolicyFile {
    return this.#state.applied.file;
  }

  policy<Http extends object = object>(name: string, http?: Http): CompiledPolicy<Req, Async> & Http {
    const handle = this.file.policies.has(name) ? this.#handles.get(name) : undefined;
    if (!handle) throw unknownPolicy(name, this.file.policies.keys());
    this.#given.add(name);
    return this.#handles.extended(name, http ?? {}) as CompiledPolicy<Req, Async> & Http;
  }

  status(): PolicyStatus {
    const { applied, enforcement, braked } = this.#state;
    return {
      revision: applied.revision,
      origin: applied.origin,
      enforcement: enforcement.mode,
      ...(enforcement.by !== undefined && { enforcementBy: enforcement.by }),
      ...(enforcement.untilMs !== undefined && { enforcementUntilMs: enforcement.untilMs }),
      ...(enforcement.reason !== undefined && { enforcementReason: enforcement.reason }),
      ...this.#record.read(),
      limits: limitStatuses(applied.file, { mode: enforcement.mode, braked }, this.#clock),
      braked: [...braked],
    };
  }

  explain(options: Omit<ExplainOptions, 'nowMs'> = {}): readonly ExplainedPolicy[] {
    return explainPolicies(fileInForce(this.#state), { ...options, nowMs: this.#clock.now() });
  }

  reload(): Promise<ReloadResult> {
    const reloaded = this.#queue.then(() => this.#reload());
    this.#queue = reloaded.catch(() => {});
    return reloaded;
  }

  async setEnforcement(mode: Enforcement, options: SetEnforcementOptions): Promise<void> {
    checkOneOf(mode, 'mode', ['on', 'shadow', 'off'] as const);
    checkOptions(options, ['for', 'by', 'reason']);
    this.#checkOpen();
    const { by, reason } = options;
    const untilMs = this.#clock.now() + durationMs(options.for, 'for');
    await this.#controls.setEnforcement({
      mode,
      untilMs,
      ...(by !== undefined && { by }),
      ...(reason !== undefined && { reason }),
    });
    this.#refresh(by);
  }

  async clearEnforcement(): Promise<void> {
    this.#checkOpen();
    await this.#controls.setEnforcement(undefined);
    this.#refresh();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#brakes.close();
    await Promise.all(this.#loops);
    await this.#queue;
  }

  /** Returns the text of the source, or the last good one, and why the source has none. */
  async #firstText(signal: AbortSignal): Promise<{ text: SourceText; missing?: Rejected }> {
    try {
      return { text: await this.#parts.source.read(signal) };
    } catch (error) {
      const text = await this.#parts.cache?.read();
      if (!text) throw error;
      return { text, missing: { revision: '', mistakes: [mistakeOf(text.origin, error)] } };
    }
  }

  #read({ text, origin }: SourceText): Promise<ReadPolicyFile> {
    const { check } = this.#parts;
    return readPolicyFileInSlices(text, { origin, pause, ...(check && { check }) });
  }

  async #reload(): Promise<ReloadResult> {
    const { signal } = this.#end;
    this.#checkOpen();
    const { rejected } = this.#record;
    let revision = '';
    try {
      const text = await this.#parts.source.read(signal);
      ({ revision } = text);
      if (revision === this.revision) return this.#unchanged(text);
      // It has the same mistakes as before.
      if (revision === rejected?.revision) return this.#reject(rejected);
      return await this.#replace(text);
    } catch (error) {
      if (signal.aborted) throw closed();
      return this.#reject({ revision, mistakes: [mistakeOf(this.#state.applied.origin, error)] });
    }
  }

  async #replace(text: SourceText): Promise<ReloadResult> {
    const { revision, origin } = text;
    const { file, mistakes } = await this.#read(text);
    if (mistakes) return this.#reject({ revision, mistakes });
    const { applied } = this.#state;
    const changes = await changesInSlices(applied.file, file, pause);
    const suspicions = file.accept === applied.revision ? [] : suspicionsOf(applied.file, file, changes);
    if (suspicions.length > 0) {
      return this.#reject({ revision, mistakes: suspicions.map((one) => this.#suspicion(origin, one)) });
    }
    this.#checkOpen();
    this.#put(this.#stateWith({ file, revision, origin }, this.#retiredBy(file)));
    this.#record.succeeded('applied');
    this.#tell({
      revision,
      previous: applied.revision,
      outcome: 'applied',
      changes: changes.map(({ path, from, to }) => ({ path, from, to })),
    });
    await this.#parts.cache?.write(text.text);
    return { outcome: 'applied', revision };
  }

  #suspicion(origin: string, sentence: string): Mistake {
    const cure = `If you mean it, add accept: ${this.revision} to the file`;
    return wholeMistake(origin, `looks like an accident: ${sentence} ${cure}`);
  }

  #unchanged({ origin }: SourceText): ReloadResult {
    const { applied } = this.#state;
    // After a start from the cache, the source is back.
    if (origin !== applied.origin) this.#state = { ...this.#state, applied: { ...applied, origin } };
    this.#record.succeeded('unchanged');
    this.#tell({ revision: this.revision, previous: this.revision, outcome: 'unchanged', changes: [] });
    return { outcome: 'unchanged', revision: this.revision };
  }

  #reject(rejected: Rejected): ReloadResult {
    const { mistakes } = rejected;
    this.#record.failed(rejected);
    this.#tell({ revision: rejected.revision, previous: this.revision, outcome: 'rejected', changes: [], mistakes });
    return { outcome: 'rejected', revision: this.revision, mistakes };
  }

  #tell(event: Omit<PolicyEvent, 'at' | 'origin'>): void {
    this.#audit.tell({ at: this.#clock.now(), origin: this.#state.applied.origin, ...event });
  }

  /** The policies that a file lacks, and that somebody uses. */
  #retiredBy(file: PolicyFile): ReadonlyMap<string, PolicyFile> {
    const { applied, retired } = this.#state;
    const known = [...retired, ...[...applied.file.policies.keys()].map((name) => [name, applied.file] as const)];
    return new Map(known.filter(([name]) => this.#given.has(name) && !file.policies.has(name)));
  }

  #stateWith(applied: Applied, retired: ReadonlyMap<string, PolicyFile>): PolicyState {
    const { file } = applied;
    const { enforcement } = this.#controls;
    const { environment } = this.#parts;
    const braked = rulesInForce({ applied, retired }).filter((one) => this.#controls.isBraked(one));
    return {
      applied,
      retired,
      enforcement: effectiveEnforcement(environment, enforcement, file.enforcement, this.#clock.now()),
      braked: new Set(braked.map(({ rule }) => rule.name)),
    };
  }

  /** Puts all policies of a state into force in one step, or throws and changes nothing. */
  #put(state: PolicyState): void {
    const { mode } = state.enforcement;
    // While it is off, no limit is made. What is wrong with one must be told now, and not when off ends.
    if (mode === 'off') this.#handles.prepare(this.#compiled(state, 'on'));
    this.#handles.prepare(this.#compiled(state, mode))();
    this.#state = state;
    this.#brakes.watch(this.#onTrial());
    this.#timeChange.ring();
  }

  #compiled(state: PolicyState, enforcement: Enforcement): readonly CompiledPolicy<Req, Async>[] {
    return rulesInForce(state).map(({ file, rule: { name } }) =>
      compilePolicy<Req, Async>(file, name, { ...this.#parts.code, enforcement, braked: state.braked.has(name) }),
    );
  }

  #onTrial(): readonly Trial[] {
    const { enforcement, braked } = this.#state;
    if (enforcement.mode !== 'on') return [];
    const nowMs = this.#clock.now();
    return rulesInForce(this.#state)
      .filter(({ rule }) => isOnTrial(rule, nowMs) && !braked.has(rule.name))
      .map(({ file, rule }) => ({ rule, form: formOf(file, rule) }));
  }

  /** Takes over what time, other instances or a brake have changed. */
  #refresh(by?: string): void {
    if (this.#end.signal.aborted) return;
    const before = this.#state;
    this.#put(this.#stateWith(before.applied, before.retired));
    const changes = stateChanges(before, this.#state, this.#clock.now());
    if (changes.length === 0) return;
    const who = by ?? this.#state.enforcement.by;
    const { revision } = this;
    this.#tell({ revision, previous: revision, outcome: 'applied', changes, ...(who !== undefined && { by: who }) });
  }

  #brake(name: string): void {
    const braked = rulesInForce(this.#state).find(({ rule }) => rule.name === name);
    if (!braked || this.#state.braked.has(name)) return;
    this.#controls.brake(braked);
    this.#refresh('brake');
  }

  #checkOpen(): void {
    if (this.#end.signal.aborted) throw closed();
  }

  async #followSource(signal: AbortSignal): Promise<void> {
    for await (const _ of this.#parts.source.changes(signal)) await this.reload().catch(() => {});
  }

  /** One sleep for all policies: until the next step of a rollout, or the end of an override. */
  async #followTime(signal: AbortSignal): Promise<void> {
    for (;;) {
      const nowMs = this.#clock.now();
      const momentMs = nextMomentMs(this.#state, this.#controls.enforcement?.untilMs ?? 0, nowMs);
      const isOpen = await this.#timeChange.next(this.#clock, momentMs - nowMs, signal);
      if (!isOpen) return;
      if (this.#clock.now() >= momentMs) this.#refresh();
    }
  }
}

/** Lets requests be served between the slices of a large text. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function closed(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'the policies are closed');
}
