import type { Clock, Store } from '@sluice/core';
import { SluiceError } from '@sluice/core';
import { checkOneOf, checkOptions, durationMs } from '@sluice/core/http';
import type { CodeFunctions, CompiledPolicy } from '../compile/compile-context.js';
import { type ExplainOptions, explainPolicies } from '../explain/explain-policies.js';
import type { ExplainedPolicy } from '../explain/explanation.js';
import type { Mistake } from '../file/mistake.js';
import type { PolicyCheck } from '../file/policy-check.js';
import type { Enforcement, PolicyFile } from '../file/policy-file.js';
import { type ReadPolicyFile, readPolicyFileInSlices } from '../file/read-policy-file.js';
import type { Source, SourceText } from '../source/source.js';
import { Audit, type AuditWriter } from './audit.js';
import { changesInSlices } from './changes-in-slices.js';
import type { Controls } from './controls.js';
import { suspicionsOf } from './guard.js';
import { InstanceControls } from './instance-controls.js';
import type { LastGoodText } from './last-good-text.js';
import { limitStatuses } from './limit-statuses.js';
import type { LivePolicies, ReloadResult, SetEnforcementOptions } from './live-policies.js';
import { PoliciesInForce } from './policies-in-force.js';
import { fileInForce } from './policy-state.js';
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

/** Reads the texts of a source, and puts those without mistakes into force. */
export class PolicyRuntime<Req extends object, Async extends boolean> implements LivePolicies<Req, Async> {
  readonly #parts: RuntimeParts<Req, Async>;
  readonly #clock: Clock;
  readonly #controls: InstanceControls;
  readonly #inForce: PoliciesInForce<Req, Async>;
  readonly #record: ReloadRecord;
  readonly #end = new AbortController();
  readonly #loops: Promise<void>[] = [];
  /** Reloads run one after another. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: RuntimeParts<Req, Async>) {
    const { code, environment } = parts;
    this.#parts = parts;
    this.#clock = code.store.clock;
    this.#controls = new InstanceControls(parts.controls);
    this.#inForce = new PoliciesInForce({ code, environment, controls: this.#controls, audit: new Audit(parts.audit) });
    this.#record = new ReloadRecord(this.#clock);
  }

  /** Applies the first text, and begins to follow the source. */
  async start(): Promise<void> {
    const { signal } = this.#end;
    await this.#controls.read(signal);
    const { text, missing } = await this.#firstText(signal);
    const { revision, origin } = text;
    const { file, mistakes } = await this.#read(text);
    if (mistakes) throw policyFileError(mistakes);
    this.#inForce.apply({ file, revision, origin });
    this.#record.succeeded('applied');
    if (missing) this.#record.failed(missing);
    this.#inForce.report({ revision, previous: undefined, outcome: 'applied', changes: [] });
    await this.#parts.cache?.write(text.text);
    this.#loops.push(this.#followSource(signal), this.#inForce.followTime(signal));
    this.#loops.push(this.#controls.follow(signal, () => this.#refresh()));
  }

  get revision(): string {
    return this.#inForce.state.applied.revision;
  }

  get file(): PolicyFile {
    return this.#inForce.state.applied.file;
  }

  policy<Http extends object = object>(name: string, http?: Http): CompiledPolicy<Req, Async> & Http {
    return this.#inForce.policy(name, http);
  }

  status(): PolicyStatus {
    const { applied, enforcement, braked } = this.#inForce.state;
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
    return explainPolicies(fileInForce(this.#inForce.state), { ...options, nowMs: this.#clock.now() });
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
    this.#inForce.close();
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
      return this.#reject({ revision, mistakes: [mistakeOf(this.#inForce.state.applied.origin, error)] });
    }
  }

  async #replace(text: SourceText): Promise<ReloadResult> {
    const { revision, origin } = text;
    const { file, mistakes } = await this.#read(text);
    if (mistakes) return this.#reject({ revision, mistakes });
    const { applied } = this.#inForce.state;
    const changes = await changesInSlices(applied.file, file, pause);
    const suspicions = file.accept === applied.revision ? [] : suspicionsOf(applied.file, file, changes);
    if (suspicions.length > 0) {
      return this.#reject({ revision, mistakes: suspicions.map((one) => this.#suspicion(origin, one)) });
    }
    this.#checkOpen();
    this.#inForce.apply({ file, revision, origin });
    this.#record.succeeded('applied');
    this.#inForce.report({
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
    const { revision } = this;
    // After a start from the cache, the source is back.
    if (origin !== this.#inForce.state.applied.origin) this.#inForce.moveTo(origin);
    this.#record.succeeded('unchanged');
    this.#inForce.report({ revision, previous: revision, outcome: 'unchanged', changes: [] });
    return { outcome: 'unchanged', revision };
  }

  #reject(rejected: Rejected): ReloadResult {
    const { revision, mistakes } = rejected;
    this.#record.failed(rejected);
    this.#inForce.report({ revision, previous: this.revision, outcome: 'rejected', changes: [], mistakes });
    return { outcome: 'rejected', revision: this.revision, mistakes };
  }

  #refresh(by?: string): void {
    if (!this.#end.signal.aborted) this.#inForce.refresh(by);
  }

  #checkOpen(): void {
    if (this.#end.signal.aborted) throw closed();
  }

  async #followSource(signal: AbortSignal): Promise<void> {
    for await (const _ of this.#parts.source.changes(signal)) await this.reload().catch(() => {});
  }
}

/** Lets requests be served between the slices of a large text. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function closed(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'the policies are closed');
}
