import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Kill, Verdict } from '../../src/mutants/kills/verdict.js';
import { type Mutant, mutantsOf } from '../../src/mutants/mutant.js';
import { listOf, type MutantList, withVerdicts } from '../../src/mutants/mutant-list.js';
import { reportOf } from '../../src/mutants/report.js';
import { typescriptChanges } from '../../src/mutants/typescript/typescript-changes.js';

const CODE = 'const f = (a: number, b: number) => a < b && a + 3;\n';
const mutants = mutantsOf('a.ts', CODE, typescriptChanges(CODE)).slice(0, 3);
const [first, second] = mutants as [Mutant, Mutant, Mutant];
const failed: Kill = { stage: 'suites', how: 'failed', ms: 5, by: 'b.test.ts: works' };

/** The list with what a run has found out about these mutants. */
function after(list: MutantList, ...found: (readonly [Mutant, Kill | undefined])[]): MutantList {
  const verdictOf = (mutant: Mutant, killed: Kill | undefined): Verdict => ({
    ...{ id: mutant.id, code: '', passed: [{ stage: 'folder tests', ms: 7 }] },
    ...(killed && { killed }),
  });
  return withVerdicts(
    list,
    new Map(found.map(([mutant, killed]) => [mutant.id, { mutant, verdict: verdictOf(mutant, killed) }])),
  );
}

const drawn = listOf(1, mutants, undefined);

describe('A list of mutants', () => {
  it('tells what was found out about each', () => {
    const late: Kill = { stage: 'quick', how: 'late', ms: 9 };
    const list = after(drawn, [first, undefined], [second, failed]);
    expect(list.mutants.map(({ verdict, stage, by }) => [verdict, stage, by])).toEqual([
      ['survived', undefined, undefined],
      ['killed', 'suites', 'b.test.ts: works'],
      [undefined, undefined, undefined],
    ]);
    expect(after(list, [second, late]).mutants[1]).toMatchObject({ stage: 'quick', by: 'time limit' });
  });

  it('keeps the reasons of survivors, also when it is drawn again', () => {
    const survived = after(drawn, [first, undefined]);
    const explained = {
      ...survived,
      mutants: survived.mutants.map((mutant, i) => (i === 0 ? { ...mutant, reason: 'changes nothing' } : mutant)),
    };
    expect(after(explained, [first, undefined]).mutants[0]).toHaveProperty('reason', 'changes nothing');
    expect(listOf(1, mutants, explained)).toEqual(explained);
    expect(after(explained, [first, failed]).mutants[0]).not.toHaveProperty('reason');
  });

  it('says the commit in whose code they were tried, until a later run', () => {
    const list = withVerdicts(drawn, new Map(), 'abc1234');
    expect(after(list, [first, failed]).commit).toBe('abc1234');
    expect(reportOf(list)[0]).toBe('3 mutants: 0 killed, 0 survived, 3 not tried, in the code of abc1234');
  });

  it('is told with its survivors', () => {
    expect(reportOf(after(drawn, [first, undefined], [second, failed]))).toEqual([
      '3 mutants: 1 killed, 1 survived, 1 not tried',
      '     1  killed by suites',
      '',
      `a.ts:1:37  [${first.operator}]  ${first.id}`,
      `  - ${first.before}`,
      `  + ${first.after}`,
      '  came through folder tests',
    ]);
  });
});

it('Of 200 mutants of the committed list at least 90 % are killed, and a reason stands at each of the others', () => {
  const path = join(__dirname, '../../mutants/list.json');
  const { seed, mutants } = JSON.parse(readFileSync(path, 'utf8')) as MutantList;
  const killed = mutants.filter(({ verdict }) => verdict === 'killed');
  const unexplained = mutants.filter(({ verdict, reason = '' }) => verdict !== 'killed' && reason.length < 20);
  expect([Number.isInteger(seed), mutants.length, unexplained]).toEqual([true, 200, []]);
  expect(killed.length).toBeGreaterThanOrEqual(180);
  const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
  expect(readme).toContain(`tests and simulations kill ${killed.length}.`);
});
