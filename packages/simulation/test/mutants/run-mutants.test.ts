import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@sluice/test-kit/until';
import { commandStage, type Stage } from '../../src/mutants/kills/stage.js';
import { type Verdict, VerdictLog } from '../../src/mutants/kills/verdict.js';
import { type Mutant, mutantsOf } from '../../src/mutants/mutant.js';
import { type MutantRun, runMutants } from '../../src/mutants/run-mutants.js';
import { ScratchCheckout } from '../../src/mutants/scratch/scratch-checkout.js';
import { typescriptChanges } from '../../src/mutants/typescript/typescript-changes.js';
import { SmallCheckout } from './small-checkout.js';

/** Has one mutant of `comparison`, one of `arithmetic` and two of `bound`. */
const CODE = 'exports.f = (a, b) => [a < b, a + 3];\n';
const FILE = 'packages/a/src/code.ts';

/** Commands, which run where the code lies. */
const IS_LESS = "if (require('./packages/a/src/code.ts').f(1, 1)[0]) throw new Error('not less');";
const IS_SUM = "if (require('./packages/a/src/code.ts').f(1, 1)[1] < 3) for (;;);";

let small: SmallCheckout;
let met: string[];

beforeEach(() => {
  small = new SmallCheckout({ [FILE]: CODE });
  met = [];
});

afterEach(() => small.remove());

const mutants = (): Mutant[] => mutantsOf(FILE, CODE, typescriptChanges(CODE)).filter(isTried);
const isTried = ({ operator }: Mutant): boolean => ['comparison', 'arithmetic', 'bound'].includes(operator);
const verdictsFile = (): string => join(small.folder, 'verdicts.jsonl');

/** Of the processor: enough for a command to start, and short enough to wait for a loop without an end. */
const LIMIT_MS = 1000;

/** A stage of one command, in which a loop without an end is not waited for. */
function stage(name: string, code: string): Stage {
  return {
    name,
    prepare: async () => {},
    tasksFor: () => {
      met.push(name);
      return [
        { command: [process.execPath, '-e', code], limitMs: LIMIT_MS, failureIn: (text) => /not \w+/.exec(text)?.[0] },
      ];
    },
  };
}

/** A process that has ended, and that nobody has asked about yet, does not run either. */
function isRunning(id: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function run(stages: readonly Stage[], more: Partial<MutantRun> = {}): Promise<Map<string, Verdict>> {
  const found = new Map<string, Verdict>();
  await runMutants({
    mutants: mutants(),
    stages,
    checkouts: [ScratchCheckout.open(small.root, join(small.folder, 'copy'), small.files)],
    log: new VerdictLog(verdictsFile()),
    onVerdict: ({ operator, replacement }, verdict) => found.set(`${operator} ${replacement}`, verdict),
    ...more,
  });
  return found;
}

describe('A run of mutants', () => {
  it('tells which stage has killed each, and how', async () => {
    const found = await run([stage('less', IS_LESS), stage('sum', IS_SUM)]);
    expect(Object.fromEntries(found)).toMatchObject({
      'comparison <=': { killed: { stage: 'less', how: 'failed', by: 'not less' }, passed: [] },
      'arithmetic -': { killed: { stage: 'sum', how: 'late' }, passed: [{ stage: 'less' }] },
      'bound 4': { passed: [{ stage: 'less' }, { stage: 'sum' }] },
      'bound 2': { passed: [{ stage: 'less' }, { stage: 'sum' }] },
    });
    expect(found.get('bound 4')).not.toHaveProperty('killed');
  });

  it('leaves the copy as it was', async () => {
    await run([stage('less', IS_LESS)]);
    expect(readFileSync(join(small.folder, 'copy/checkout', FILE), 'utf8')).toBe(CODE);
  });

  it('kills what a command has started together with it', async () => {
    const idFile = join(small.folder, 'id');
    const child = 'setTimeout(() => {}, 60_000)';
    const parent = `
      const { pid } = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}]);
      require('node:fs').writeFileSync(${JSON.stringify(idFile)}, String(pid));
      for (;;);`;
    const found = await run([stage('parent', parent)], { mutants: mutants().slice(0, 1) });
    expect([...found.values()]).toMatchObject([{ killed: { stage: 'parent', how: 'late' } }]);
    const id = Number(readFileSync(idFile, 'utf8'));
    await until(() => !isRunning(id), 10);
  });

  it('is not repeated, except with new stages or on new code', async () => {
    const less = stage('less', IS_LESS);
    await run([less]);
    expect((await run([less])).size).toBe(0);
    // The dead do not return.
    expect((await run([less, stage('nothing', '')])).size).toBe(3);
    expect(met.filter((name) => name === 'less')).toHaveLength(4);
    small.write(FILE, `${CODE}// Something else.\n`);
    expect((await run([less])).size).toBe(4);
  });

  it('lets survivors meet all stages again if that is wanted', async () => {
    const stages = [stage('less', IS_LESS), stage('nothing', '')];
    await run(stages);
    const again = await run(stages, { again: true });
    expect(again.size).toBe(3);
    expect([...again.values()].map(({ passed }) => passed.map((one) => one.stage))).toEqual(
      Array(3).fill(['less', 'nothing']),
    );
  });

  it('continues after it was stopped, and after half of a line was written', async () => {
    const controller = new AbortController();
    const first = await run([stage('nothing', '')], {
      signal: controller.signal,
      onVerdict: () => controller.abort(),
    });
    expect(first.size).toBe(0);
    const lines = readFileSync(verdictsFile(), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(1);
    writeFileSync(verdictsFile(), `${lines[0]}\n{"id":"abc","co`);
    expect((await run([stage('nothing', '')])).size).toBe(3);
    expect((await run([stage('nothing', '')])).size).toBe(0);
  });

  it('ends a running command when it is stopped, and counts that as nothing', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const found = await run([stage('endless', 'for (;;);')], { signal: controller.signal });
    expect(found.size).toBe(0);
    expect(existsSync(verdictsFile())).toBe(false);
  });

  it('can try several at a time, each in a copy of its own', async () => {
    const checkouts = ['1', '2'].map((name) => ScratchCheckout.open(small.root, join(small.folder, name), small.files));
    const found = await run([stage('less', IS_LESS)], { checkouts });
    expect([...found.values()].filter(({ killed }) => killed)).toHaveLength(1);
    expect(found.size).toBe(4);
  });

  it('does not begin if a stage fails without any mutant', async () => {
    const broken = commandStage('broken', [process.execPath, '-e', "throw new Error('on its own')"]);
    await expect(run([broken])).rejects.toThrow(/^The stage "broken" does not pass on unchanged code/);
  });
});
