import type { Clock } from '@sluice/core';
import { checkOptions, optionError } from '@sluice/core/values';
import type { PolicyCheck } from '../file/policy-check.js';
import { type ReadPolicyFile, readPolicyFileInSlices } from '../file/read-policy-file.js';
import type { Source, SourceText } from '../source/source.js';
import { checkOpen } from './check-open.js';
import { followChanges } from './follow-changes.js';
import type { LastGoodText } from './last-good-text.js';
import type { ChangeReason, ReloadOptions, ReloadResult } from './live-policies.js';
import { pause } from './pause.js';
import type { PoliciesInForce } from './policies-in-force.js';
import { mistakeOf, policyFileError, wholeMistake } from './policy-text.js';
import { type Rejected, ReloadRecord } from './reload-record.js';
import { ReplacementGuard } from './replacement-guard.js';

/** Where texts come from, and what is asked about them. */
export interface TextParts {
  readonly source: Source;
  readonly check: PolicyCheck | undefined;
  readonly cache: LastGoodText | undefined;
}

/** What texts are put into, and until when. */
interface ReloadParts extends TextParts {
  readonly inForce: Pick<PoliciesInForce<object, boolean>, 'state' | 'apply' | 'moveTo' | 'report'>;
  readonly clock: Clock;
  /** Aborted when the policies are closed. */
  readonly signal: AbortSignal;
}

/** Reads the texts of a source one after another, and puts those without mistakes into force. */
export class Reloads {
  readonly #parts: ReloadParts;
  readonly #guard: ReplacementGuard;
  readonly record: ReloadRecord;
  /** Reloads run one after another. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#guard = new ReplacementGuard(parts.clock);
    this.record = new ReloadRecord(parts.clock);
  }

  /** Applies the first text. */
  async start(): Promise<void> {
    const { inForce, cache } = this.#parts;
    const { text, missing } = await this.#firstText();
    const { revision, origin } = text;
    const { file, mistakes } = await this.#read(text);
    if (mistakes) throw policyFileError(mistakes);
    inForce.apply({ file, revision, origin });
    this.record.succeeded('applied');
    if (missing) this.record.failed(missing);
    inForce.report({ revision, previous: undefined, outcome: 'applied', changes: [] });
    await cache?.write(text.text);
  }

  /** Reads the source whenever it tells of a change, until the policies are closed. */
  async follow(): Promise<void> {
    const { source: told, clock, signal } = this.#parts;
    await followChanges({ told, name: 'source', clock, signal }, () =>
      this.#enqueue({ isAsked: false }).catch(() => {}),
    );
  }

  /** See `LivePolicies.reload`. */
  reload(options: ReloadOptions): Promise<ReloadResult> {
    return this.#enqueue({ ...options, isAsked: true });
  }

  /** Settles when the last reload has ended. */
  async ended(): Promise<void> {
    await this.#queue;
  }

  /** Returns the text of the source, or the last good one, and why the source has none. */
  async #firstText(): Promise<{ text: SourceText; missing?: Rejected }> {
    const { source, cache, signal } = this.#parts;
    try {
      return { text: await source.read(signal) };
    } catch (error) {
      const text = await cache?.read();
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
    const { source, inForce, signal } = this.#parts;
    checkOpen(signal);
    const { rejected } = this.record;
    let revision = '';
    try {
      const text = await source.read(signal);
      ({ revision } = text);
      if (revision === inForce.state.applied.revision) return this.#unchanged(text);
      // It has the same mistakes as before. Whoever asks may allow more, or comes when an hour is over.
      if (revision === rejected?.revision && !reload.isAsked) return this.#reject(rejected);
      return await this.#replace(text, reload);
    } catch (error) {
      checkOpen(signal);
      return this.#reject({ revision, mistakes: [mistakeOf(inForce.state.applied.origin, error)] });
    }
  }

  async #replace(text: SourceText, reload: Reload): Promise<ReloadResult> {
    const { inForce, cache, signal } = this.#parts;
    const { revision, origin } = text;
    const { file, mistakes } = await this.#read(text);
    if (mistakes) return this.#reject({ revision, mistakes }, reload);
    const { applied } = inForce.state;
    const { changes, suspicions } = await this.#guard.compare(applied, file, reload.allowRemovals ?? false);
    if (suspicions.length > 0) {
      return this.#reject({ revision, mistakes: suspicions.map((one) => wholeMistake(origin, one)) }, reload);
    }
    checkOpen(signal);
    inForce.apply({ file, revision, origin });
    this.#guard.replaced(applied, file);
    this.record.succeeded('applied');
    inForce.report({
      revision,
      previous: applied.revision,
      outcome: 'applied',
      changes: changes.map(({ path, from, to }) => ({ path, from, to })),
      ...reasonIn(reload),
    });
    await cache?.write(text.text);
    return { outcome: 'applied', revision };
  }

  #unchanged({ revision, origin }: SourceText): ReloadResult {
    const { inForce } = this.#parts;
    // After a start from the cache, the source is back.
    if (origin !== inForce.state.applied.origin) inForce.moveTo(origin);
    this.record.succeeded('unchanged');
    inForce.report({ revision, previous: revision, outcome: 'unchanged', changes: [] });
    return { outcome: 'unchanged', revision };
  }

  #reject(rejected: Rejected, change: ChangeReason = {}): ReloadResult {
    const { inForce } = this.#parts;
    const { revision: previous } = inForce.state.applied;
    const { revision, mistakes } = rejected;
    this.record.failed(rejected);
    inForce.report({ revision, previous, outcome: 'rejected', changes: [], mistakes, ...reasonIn(change) });
    return { outcome: 'rejected', revision: previous, mistakes };
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
