// Why it is so: core/docs/why/policy-files.md

import type { Clock } from '@sluice/core';
import type { PolicyChange } from '../diff/policy-change.js';
import type { PolicyFile } from '../file/policy-file.js';
import { changesInSlices } from './changes-in-slices.js';
import { farNumbers, removedPolicies, suspicionsOf } from './guard.js';
import type { Applied } from './policy-state.js';
import { numbersOf, RecentFiles } from './recent-files.js';

/** How a file differs from the one in force, and why it is not taken. */
interface Replacement {
  readonly changes: readonly PolicyChange[];
  /** Why the file is not taken without being accepted, in sentences. Empty if it may be taken. */
  readonly suspicions: readonly string[];
}

/**
 * Keeps a file that looks like an accident from replacing the one in force. It also sees a change that comes in several small
 * steps. A file that names the revision in force in `accept` may change anything.
 */
export class ReplacementGuard {
  readonly #clock: Clock;
  readonly #recent = new RecentFiles();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Compares a file with the one in force. */
  async compare(applied: Applied, next: PolicyFile, allowRemovals: boolean): Promise<Replacement> {
    const changes = await changesInSlices(applied.file, next);
    if (isAccepted(applied, next)) return { changes, suspicions: [] };
    const sudden = suddenChanges(applied, next, changes, allowRemovals);
    if (sudden.length > 0) return { changes, suspicions: sudden };
    const oldest = this.#recent.oldest(this.#clock.now());
    return { changes, suspicions: oldest ? await smallSteps(oldest, applied, next) : [] };
  }

  /** Notes that a file has replaced another one. */
  replaced(before: Applied, next: PolicyFile): void {
    if (isAccepted(before, next)) this.#recent.forget();
    else this.#recent.add(before.file, this.#clock.now());
  }
}

const isAccepted = ({ revision }: Applied, { accept }: PolicyFile): boolean => accept === revision;

function suddenChanges(
  applied: Applied,
  next: PolicyFile,
  changes: readonly PolicyChange[],
  allowRemovals: boolean,
): readonly string[] {
  const removed = allowRemovals ? [] : removedPolicies(applied.file, next);
  return [
    ...removed.map(
      (name) =>
        `the policy ${JSON.stringify(name)} is gone: it was removed, or has another name. Nobody who asks for it would be limited by it. ` +
        `If you mean it, reload with allowRemovals (sluice reload --allow-removals), or ${cureOf(applied)}`,
    ),
    ...suspicionsOf(applied.file, next, changes).map((sentence) => accident(sentence, applied)),
  ];
}

/** Several small steps within an hour are looked at as one. */
async function smallSteps(oldest: PolicyFile, applied: Applied, next: PolicyFile): Promise<readonly string[]> {
  const sentences = farNumbers(oldest, next, await changesInSlices(oldest, numbersOf(next)));
  return sentences.map((sentence) => accident(`in several steps within an hour: ${sentence}`, applied));
}

const accident = (sentence: string, applied: Applied): string =>
  `looks like an accident: ${sentence} If you mean it, ${cureOf(applied)}`;

const cureOf = ({ revision }: Applied): string => `add accept: ${revision} to the file`;
