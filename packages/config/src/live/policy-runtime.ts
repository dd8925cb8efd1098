import type { Clock, Store } from '@sluice/core';
import { SluiceError } from '@sluice/core';
import { checkOneOf, checkOptions, durationMs, optionError } from '@sluice/core/http';
import type { CodeFunctions, CompiledPolicy } from '../compile/compile-context.js';
import type { PolicyChange } from '../diff/policy-change.js';
import { type ExplainOptions, explainPolicies } from '../explain/explain-policies.js';
import type { ExplainedPolicy } from '../explain/explanation.js';
import type { PolicyCheck } from '../file/policy-check.js';
import type { Enforcement, PolicyFile } from '../file/policy-file.js';
import { type ReadPolicyFile, readPolicyFileInSlices } from '../file/read-policy-file.js';
import type { Source, SourceText } from '../source/source.js';
import { Audit, type AuditWriter } from './audit.js';
import { changesInSlices } from './changes-in-slices.js';
import type { Controls } from './controls.js';
import { LONGEST_OVERRIDE_MS } from './enforcement-order.js';
import { farNumbers, removedPolicies, suspicionsOf } from './guard.js';
import { InstanceControls } from './instance-controls.js';
import type { LastGoodText } from './last-good-text.js';
import { limitStatuses } from './limit-statuses.js';
import type {
  ChangeReason,
  LivePolicies,
  ReloadOptions,
  ReloadResult,
  SetEnforcementOptions,
} from './live-policies.js';
import { PoliciesInForce } from './policies-in-force.js';
import { fileInForce } from './policy-state.js';
import type { PolicyStatus } from './policy-status.js';
import { mistakeOf, policyFileError, wholeMistake } from './policy-text.js';
import { numbersOf, RecentFiles } from './recent-files.js';
import { type Rejected, ReloadRecord } from './reload-record.js';

/** What live policies are made of, after checks. */
interface RuntimeParts<Req extends object, Async extends boolean> {
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
  readonly #recent = new RecentFiles();
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
    const { trouble } = this.#controls;
    return {
      revision: applied.revision,
      origin: applied.origin,
      enforcement: enforcement.mode,
      ...(enforcement.by !== undefined && { enforcementBy: enforcement.by }),
      ...(enforcement.untilMs !== undefined && { enforcementUntilMs: enforcement.untilMs }),
      ...(enforcement.reason !== undefined && { enforcementReason: enforcement.reason }),
      ...(trouble !== undefined && { controlsTrouble: trouble }),
      ...this.#record.read(),
      limits: limitStatuses(applied.file, { mode: enforcement.mode, braked }, this.#clock),
      braked: [...braked],
    };
  }

  explain(options: Omit<ExplainOptions, 'nowMs'> = {}): readonly ExplainedPolicy[] {
    return explainPolicies(fileInForce(this.#inForce.state), { ...options, nowMs: this.#clock.now() });
  }

  reload(options: ReloadOptions = {}): Promise<ReloadResult> {
    return this.#enqueue({ ...options, isAsked: true });
  }

  async setEnforcement(mode: Enforcement, options: SetEnforcementOptions): Promise<void> {
    checkOneOf(mode, 'mode', ['on', 'shadow', 'off'] as const);
    checkOptions(options, ['for', 'by', 'reason']);
    this.#checkOpen();
    const { by, reason } = options;
    const lengthMs = durationMs(options.for, 'for');
    if (lengthMs > LONGEST_OVERRIDE_MS) {
      throw optionError(
        'for',
        'must be at most 7d: to change it for longer, write enforcement into the file',
        options.for,
      );
    }
    const untilMs = this.#clock.now() + lengthMs;
    await this.#controls.setEnforcement({
      mode,
      untilMs,
      ...(by !== undefined && { by }),
      ...(reason !== undefined && { reason }),
    });
    this.#refresh(reasonIn(options));
  }

  async clearEnforcement(options: ChangeReason = {}): Promise<void> {
    checkOptions(options, ['by', 'reason']);
    this.#checkOpen();
    await this.#controls.setEnforcement(undefined);
    this.#refresh(options);
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

  #enqueue(reload: Reload): Promise<ReloadResult> {
    const reloaded = this.#queue.then(() => this.#reload(reload));
    this.#queue = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(reload: Reload): Promise<ReloadResult> {
    checkOptions(reload, ['allowRemovals', 'by', 'reason', 'isAsked']);
    const { allowRemovals } = reload;
    if (allowRemovals !== undefined && typeof allowRemovals !== 'boolean') {
      throw optionError('allowRemovals', 'must be true or false', allowRemovals);
    }
    const { signal } = this.#end;
    this.#checkOpen();
    const { rejected } = this.#record;
    let revision = '';
    try {
      const text = await this.#parts.source.read(signal);
      ({ revision } = text);
      if (revision === this.revision) return this.#unchanged(text);
      // It has the same mistakes as before. Whoever asks may allow more, or comes when an hour is over.
      if (revision === rejected?.revision && !reload.isAsked) return this.#reject(rejected);
      return await this.#replace(text, reload);
    } catch (error) {
      if (signal.aborted) throw closed();
      return this.#reject({ revision, mistakes: [mistakeOf(this.#inForce.state.applied.origin, error)] });
    }
  }

  async #replace(text: SourceText, reload: Reload): Promise<ReloadResult> {
    const { revision, origin } = text;
    const { file, mistakes } = await this.#read(text);
    if (mistakes) return this.#reject({ revision, mistakes }, reload);
    const { applied } = this.#inForce.state;
    const changes = await changesInSlices(applied.file, file, pause);
    const isAccepted = file.accept === applied.revision;
    const sudden = isAccepted ? [] : this.#suspicions(file, changes, reload);
    const oldest = isAccepted || sudden.length > 0 ? undefined : this.#recent.oldest(this.#clock.now());
    const suspicions = oldest ? await this.#stepsSince(oldest, file) : sudden;
    if (suspicions.length > 0) {
      return this.#reject({ revision, mistakes: suspicions.map((one) => wholeMistake(origin, one)) }, reload);
    }
    this.#checkOpen();
    this.#inForce.apply({ file, revision, origin });
    if (isAccepted) this.#recent.forget();
    else this.#recent.add(applied.file, this.#clock.now());
    this.#record.succeeded('applied');
    this.#inForce.report({
      revision,
      previous: applied.revision,
      outcome: 'applied',
      changes: changes.map(({ path, from, to }) => ({ path, from, to })),
      ...reasonIn(reload),
    });
    await this.#parts.cache?.write(text.text);
    return { outcome: 'applied', revision };
  }

  /** Returns why a file is not taken without being accepted, in sentences. */
  #suspicions(
    next: PolicyFile,
    changes: readonly PolicyChange[],
    { allowRemovals = false }: Reload,
  ): readonly string[] {
    const { file } = this;
    const removed = allowRemovals ? [] : removedPolicies(file, next);
    return [
      ...removed.map(
        (name) =>
          `the policy ${JSON.stringify(name)} is gone: it was removed, or has another name. Nobody who asks for it would be limited by it. ` +
          `If you mean it, reload with allowRemovals (sluice reload --allow-removals), or ${this.#cure()}`,
      ),
      ...suspicionsOf(file, next, changes).map((sentence) => this.#accident(sentence)),
    ];
  }

  /** Several small steps within an hour are looked at as one. */
  async #stepsSince(oldest: PolicyFile, next: PolicyFile): Promise<readonly string[]> {
    const sentences = farNumbers(oldest, next, await changesInSlices(oldest, numbersOf(next), pause));
    return sentences.map((sentence) => this.#accident(`in several steps within an hour: ${sentence}`));
  }

  #accident(sentence: string): string {
    return `looks like an accident: ${sentence} If you mean it, ${this.#cure()}`;
  }

  #cure(): string {
    return `add accept: ${this.revision} to the file`;
  }

  #unchanged({ origin }: SourceText): ReloadResult {
    const { revision } = this;
    // After a start from the cache, the source is back.
    if (origin !== this.#inForce.state.applied.origin) this.#inForce.moveTo(origin);
    this.#record.succeeded('unchanged');
    this.#inForce.report({ revision, previous: revision, outcome: 'unchanged', changes: [] });
    return { outcome: 'unchanged', revision };
  }

  #reject(rejected: Rejected, change: ChangeReason = {}): ReloadResult {
    const { revision, mistakes } = rejected;
    this.#record.failed(rejected);
    const outcome = 'rejected';
    this.#inForce.report({ revision, previous: this.revision, outcome, changes: [], mistakes, ...reasonIn(change) });
    return { outcome: 'rejected', revision: this.revision, mistakes };
  }

  #refresh(change?: ChangeReason): void {
    if (!this.#end.signal.aborted) this.#inForce.refresh(change);
  }

  #checkOpen(): void {
    if (this.#end.signal.aborted) throw closed();
  }

  async #followSource(signal: AbortSignal): Promise<void> {
    for await (const _ of this.#parts.source.changes(signal)) await this.#enqueue({ isAsked: false }).catch(() => {});
  }
}

/** One reading of the source. */
interface Reload extends ReloadOptions {
  /** Whether somebody asks for it. Otherwise the source tells of a change. */
  readonly isAsked: boolean;
}

function reasonIn({ by, reason }: ChangeReason): ChangeReason {
  return { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
}

/** Lets requests be served between the slices of a large text. */
const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function closed(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'the policies are closed');
}
