import type { PolicyEvent } from '@sluice/core';
import { publish, reasonOf, recover, warn } from '@sluice/core/values';

/** Where audit lines go: a stream, or whatever has `write`. */
export interface AuditWriter {
  /** Takes one line, with its line break. It may return a promise, which is not awaited. */
  write(line: string): unknown;
}

/** Writes lines to whatever they are meant for. It never fails: a log that does must not keep a limit from changing. */
export class SafeWriter implements AuditWriter {
  readonly #writer: AuditWriter | undefined;
  #hasWarned = false;

  constructor(writer: AuditWriter | undefined) {
    this.#writer = writer;
  }

  /** Takes one line, with its line break. */
  write(line: string): void {
    void recover(
      () => this.#writer?.write(line),
      (error) => this.#failed(error),
    );
  }

  #failed(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    warn('SLUICE_HOOK_FAILED', `the audit writer failed, and lines are lost: ${reasonOf(error)}`);
  }
}

/** More than anybody reads of one change. */
export const MOST_CHANGES = 1000;

/** Reports what happens to the policies: as events, and as lines of JSON. */
export class Audit {
  readonly #writer: SafeWriter;
  #last: string | undefined;

  constructor(writer: AuditWriter | undefined) {
    this.#writer = new SafeWriter(writer);
  }

  /** Publishes an event. The line is left out if nothing changed, and if the same mistakes were written before. */
  report(event: PolicyEvent): void {
    const reported = { ...event, changes: event.changes.slice(0, MOST_CHANGES) };
    publish('sluice:policy', reported);
    if (event.outcome === 'unchanged') return;
    const { at, ...rest } = reported;
    const text = JSON.stringify(rest);
    const isRepeated = event.outcome === 'rejected' && text === this.#last;
    this.#last = text;
    if (!isRepeated) this.#writer.write(`${JSON.stringify({ at: new Date(at).toISOString(), ...rest })}\n`);
  }
}
