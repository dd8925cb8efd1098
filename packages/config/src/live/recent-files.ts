import type { PolicyFile } from '../file/policy-file.js';

/** Steps of a number within this time are looked at as one. */
const LOOKED_BACK_MS = 3_600_000;

/** Files that follow each other within this time are kept as one: at most seven are kept. */
const APART_MS = 600_000;

/** A file that was in force, and the time in which it was replaced. */
interface Replaced {
  readonly file: PolicyFile;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * The files that were in force within the last hour, so that the guard sees where several small steps have come from. Customers without limits of their own are not kept: they have no numbers.
 */
export class RecentFiles {
  #replaced: readonly Replaced[] = [];

  /** Notes that another file takes the place of this one. */
  add(file: PolicyFile, nowMs: number): void {
    const kept = this.#kept(nowMs);
    const last = kept.at(-1);
    if (last !== undefined && nowMs - last.fromMs < APART_MS) {
      this.#replaced = [...kept.slice(0, -1), { ...last, untilMs: nowMs }];
    } else this.#replaced = [...kept, { file: numbersOf(file), fromMs: nowMs, untilMs: nowMs }];
  }

  /** The oldest of them; undefined if one file was in force all the time. */
  oldest(nowMs: number): PolicyFile | undefined {
    this.#replaced = this.#kept(nowMs);
    return this.#replaced[0]?.file;
  }

  /** Forgets them: the steps since then were meant. */
  forget(): void {
    this.#replaced = [];
  }

  #kept(nowMs: number): readonly Replaced[] {
    return this.#replaced.filter(({ untilMs }) => nowMs - untilMs < LOOKED_BACK_MS);
  }
}

/** A file without customers who have no numbers of their own. */
export function numbersOf(file: PolicyFile): PolicyFile {
  return { ...file, customers: new Map([...file.customers].filter(([, { overrides }]) => overrides.size > 0)) };
}
