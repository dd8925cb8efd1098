import type { ListedMutant, MutantList } from './mutant-list.js';

/** What became of the mutants of a list: how many each stage killed, and each that survived. */
export function reportOf({ commit, mutants }: MutantList): string[] {
  const killed = mutants.filter(({ verdict }) => verdict === 'killed');
  const survived = mutants.filter(({ verdict }) => verdict === 'survived');
  const waiting = mutants.length - killed.length - survived.length;
  return [
    `${mutants.length} mutants: ${killed.length} killed, ${survived.length} survived, ${waiting} not tried${commit === undefined ? '' : `, in the code of ${commit}`}`,
    ...[...stagesOf(killed)].map(([stage, count]) => `${`${count}`.padStart(6)}  killed by ${stage}`),
    ...survived.flatMap((mutant) => ['', ...linesOf(mutant)]),
  ];
}

/** A mutant in one line. */
export function lineOf({ id, file, line, column, operator, before, after }: ListedMutant): string {
  return `${id}  ${file}:${line}:${column}  [${operator}]  ${before}  ->  ${after}`;
}

function stagesOf(killed: readonly ListedMutant[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { stage = 'unknown', by } of killed) {
    const name = by === 'time limit' ? `the time limit of ${stage}` : stage;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function linesOf(mutant: ListedMutant): string[] {
  const { id, file, line, column, operator, before, after, passed = [], reason } = mutant;
  return [
    `${file}:${line}:${column}  [${operator}]  ${id}`,
    `  - ${before}`,
    `  + ${after === '' ? '(nothing)' : after}`,
    `  came through ${passed.join(', ')}`,
    ...(reason === undefined ? [] : [`  ${reason}`]),
  ];
}
