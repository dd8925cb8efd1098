import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Verdict } from './kills/verdict.js';
import type { Mutant } from './mutant.js';
import { mutantsOfFile } from './sources.js';

/** Where the list of the repository lies. */
export const LIST_FILE = 'packages/simulation/mutants/list.json';

/** Mutants that were drawn, and what became of them. A JSON file, in which a reader can write reasons. */
export interface MutantList {
  readonly seed: number;
  /** The commit in whose code they were tried last. Absent: no run has ended yet. */
  readonly commit?: string;
  readonly mutants: readonly ListedMutant[];
}

/** One mutant, as the list tells it. */
export interface ListedMutant
  extends Pick<Mutant, 'id' | 'file' | 'line' | 'column' | 'operator' | 'before' | 'after'> {
  /** Absent: it was not tried yet. */
  readonly verdict?: 'killed' | 'survived';
  /** The stage that killed it. */
  readonly stage?: string;
  /** The test that failed first. `time limit`: none did, but the stage did not end. */
  readonly by?: string;
  /** The stages that it came through, if it survived. */
  readonly passed?: readonly string[];
  /** Written by hand: why it may survive, such as "changes nothing, because ...". */
  readonly reason?: string;
}

export function readList(path: string): MutantList | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

export function writeList(path: string, list: MutantList): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(list, null, 2)}\n`);
}

/** A list of these mutants, with what another list tells about the same ones. */
export function listOf(seed: number, mutants: readonly Mutant[], before: MutantList | undefined): MutantList {
  const known = new Map(before?.mutants.map((listed) => [listed.id, listed]));
  return { seed, mutants: mutants.map((mutant) => ({ ...known.get(mutant.id), ...shownOf(mutant) })).map(inOrder) };
}

/**
 * A list with what a run has found out. Reasons stay while a mutant survives.
 *
 * @param commit - the one that the run has tried
 */
export function withVerdicts(
  list: MutantList,
  found: ReadonlyMap<string, { readonly mutant: Mutant; readonly verdict: Verdict }>,
  commit = list.commit,
): MutantList {
  const mutants = list.mutants.map((listed) => {
    const { mutant, verdict } = found.get(listed.id) ?? {};
    if (!mutant || !verdict) return listed;
    const { reason } = listed;
    const { killed } = verdict;
    if (!killed) {
      const passed = verdict.passed.map(({ stage }) => stage);
      return { ...shownOf(mutant), verdict: 'survived' as const, passed, ...(reason !== undefined && { reason }) };
    }
    const by = killed.how === 'late' ? 'time limit' : killed.by;
    return { ...shownOf(mutant), verdict: 'killed' as const, stage: killed.stage, ...(by !== undefined && { by }) };
  });
  return { seed: list.seed, ...(commit !== undefined && { commit }), mutants };
}

/** Finds listed mutants in the code as it is now. Those that its changes have removed are `gone`. */
export function located(list: MutantList, root: string): { found: Mutant[]; gone: ListedMutant[] } {
  const files = [...new Set(list.mutants.map(({ file }) => file))];
  const present = files.filter((file) => existsSync(`${root}/${file}`));
  const possible = new Map(present.flatMap((file) => mutantsOfFile(root, file)).map((mutant) => [mutant.id, mutant]));
  return {
    found: list.mutants.flatMap(({ id }) => possible.get(id) ?? []),
    gone: list.mutants.filter(({ id }) => !possible.has(id)),
  };
}

function shownOf({ id, file, line, column, operator, before, after }: Mutant): ListedMutant {
  return { id, file, line, column, operator, before, after };
}

/** With what stands in the code first, however old the rest is. */
function inOrder({ id, file, line, column, operator, before, after, ...rest }: ListedMutant): ListedMutant {
  return { id, file, line, column, operator, before, after, ...rest };
}
