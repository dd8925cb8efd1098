import { readFile, stat } from 'node:fs/promises';
import { type Clock, type Duration, SluiceError, systemClock } from '@sluice/core';
import { checkOptions, durationMs, optionError, reasonOf } from '@sluice/core/values';
import type { Source, SourceText } from './source.js';
import { MOST_BYTES, revisionOf, sourceError, sourceText, tooLarge } from './source-text.js';
import { sleeps } from './waiting.js';

/** The options of `fromFile`. */
export interface FromFileOptions {
  /**
   * How often the file is looked at: at least 10 ms. Default: half a second. A change is applied within this time and
   * `settle` together.
   */
  readonly poll?: Duration;
  /**
   * How long a file has to stay as it is before it is read, so that a file that somebody is writing is not read by halves.
   * Default: a quarter of a second. A file that ends in the middle of a line has to stay three times as long.
   */
  readonly settle?: Duration;
  /** Default: `systemClock`. */
  readonly clock?: Clock;
}

/** What changes when somebody writes a file, puts another one in its place, or lets this process read it. */
type Fingerprint = string;

/** What one follower of a file knows of it. */
interface Known {
  /** The file as it was when it was last read, or told; undefined if it was not there. */
  readonly fingerprint: Fingerprint | undefined;
  /** The revision of its bytes; undefined if they were never read. */
  readonly revision: string | undefined;
  readonly atMs: number;
  /** Whether it was told, and could not be read yet. */
  readonly isUnread: boolean;
}

const NOTHING: Known = { fingerprint: undefined, revision: undefined, atMs: Number.NEGATIVE_INFINITY, isUnread: false };

/** Some file systems know times by whole seconds, or by two. For so long after a change, the text itself is compared. */
const COARSEST_TIME_MS = 3000;

/** A file that changes again and again is given up after this many looks. */
const MOST_LOOKS = 40;

/**
 * Reads policies from a file, and looks at it again and again. It sees every way to change a file: writing in place, a rename,
 * as editors and `kubectl` do it, and links that point elsewhere. A file that somebody is still writing is not read.
 *
 * It never uses `fs.watch`, which does not see most of these.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example const live = await policies({ source: fromFile('sluice.yaml'), store });
 */
export function fromFile(path: string, options: FromFileOptions = {}): Source {
  if (typeof path !== 'string' || path === '') throw optionError('path', 'must be the path of a file', path);
  checkOptions(options, ['poll', 'settle', 'clock']);
  const pollMs = durationMs(options.poll ?? '500ms', 'poll', 10);
  const settleMs = durationMs(options.settle ?? '250ms', 'settle', 0);
  return new FileSource(path, pollMs, settleMs, options.clock ?? systemClock);
}

class FileSource implements Source {
  readonly #path: string;
  readonly #pollMs: number;
  readonly #settleMs: number;
  readonly #clock: Clock;
  /** By the signal of each follower: several policies may have the same source. */
  readonly #known = new WeakMap<AbortSignal, Known>();

  constructor(path: string, pollMs: number, settleMs: number, clock: Clock) {
    this.#path = path;
    this.#pollMs = pollMs;
    this.#settleMs = settleMs;
    this.#clock = clock;
  }

  async read(signal: AbortSignal): Promise<SourceText> {
    const { fingerprint, bytes } = await this.#settled(signal);
    this.#known.set(signal, { fingerprint, revision: revisionOf(bytes), atMs: this.#clock.now(), isUnread: false });
    return sourceText(bytes, this.#path);
  }

  async *changes(signal: AbortSignal): AsyncIterable<void> {
    while (await sleeps(this.#clock, this.#pollMs, signal)) if (await this.#hasChanged(signal)) yield;
  }

  async #hasChanged(signal: AbortSignal): Promise<boolean> {
    const now = await this.#fingerprint().catch(() => undefined);
    const known = this.#known.get(signal) ?? NOTHING;
    if (now !== known.fingerprint) {
      // Told once, even if it cannot be read.
      this.#known.set(signal, { ...known, fingerprint: now, atMs: this.#clock.now(), isUnread: true });
      return true;
    }
    const mayDiffer = known.isUnread || this.#clock.now() - known.atMs <= COARSEST_TIME_MS;
    if (now === undefined || !mayDiffer) return false;
    const settled = await this.#settled(signal).catch(() => undefined);
    return settled !== undefined && (known.isUnread || revisionOf(settled.bytes) !== known.revision);
  }

  /** Reads the file when nobody writes it. */
  async #settled(signal: AbortSignal): Promise<{ fingerprint: Fingerprint; bytes: Uint8Array }> {
    let isWhole = true;
    let before = await this.#fingerprint();
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const quietMs = isWhole ? this.#settleMs : 2 * this.#settleMs;
      await this.#clock.sleep(quietMs, signal);
      const after = await this.#fingerprint();
      const isQuiet = after === before;
      before = after;
      if (!isQuiet) continue;
      const bytes = await this.#bytes();
      if ((await this.#fingerprint()) !== after) continue;
      if (isWhole && !endsWhole(bytes)) {
        isWhole = false;
        continue;
      }
      return { fingerprint: after, bytes };
    }
    throw sourceError(this.#path, 'is written again and again');
  }

  async #fingerprint(): Promise<Fingerprint> {
    try {
      const found = await stat(this.#path);
      // A pipe would wait for a writer, and a device may have no end.
      if (!found.isFile()) throw sourceError(this.#path, 'cannot be read: it is no regular file');
      const { dev, ino, mtimeMs, ctimeMs, size } = found;
      if (size > MOST_BYTES) throw tooLarge(this.#path);
      // Archives and copies keep the time of the text. That of the inode is always the system's.
      return `${dev} ${ino} ${mtimeMs} ${ctimeMs} ${size}`;
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  async #bytes(): Promise<Uint8Array> {
    try {
      return await readFile(this.#path);
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  #unreadable(error: unknown): SluiceError {
    if (error instanceof SluiceError) return error;
    return sourceError(
      this.#path,
      `cannot be read: ${(error as NodeJS.ErrnoException).code ?? reasonOf(error)}`,
      error,
    );
  }
}

/** Whether text ends as a file does: with the end of a line, or with the bracket of a JSON document. */
function endsWhole(bytes: Uint8Array): boolean {
  const last = bytes.at(-1);
  return last === undefined || last === 0x0a || last === 0x7d;
}
