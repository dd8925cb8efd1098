import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { tapeOf } from '../search/tapes.js';

const root = join(__dirname, '../../../..');

/** Plays a tape once for each argument of the program: code that does something when its process begins. Prints the violations. */
const PROGRAM = `
import { play } from ${JSON.stringify(join(root, 'packages/simulation/src/fleet/play.ts'))};
import { bundleOf } from ${JSON.stringify(join(root, 'packages/simulation/src/process/bundle.ts'))};
bundleOf(${JSON.stringify(root)}).then(async (bundle) => {
  const violations = [];
  for (const text of process.argv.slice(2)) {
    const begins = new Function('globals', text);
    const begin = (globals) => {
      const code = bundle.begin(globals);
      begins(globals);
      return code;
    };
    const { violation } = await play(${JSON.stringify(tapeOf([]))}, [{ begin }]);
    violations.push(violation ?? null);
  }
  console.log(JSON.stringify(violations));
});
`;

const THROWS = {
  'a promise': `Promise.reject(new Error('nobody cares'))`,
  'a microtask': `queueMicrotask(() => { throw new Error('nobody cares') })`,
  'a tick': `process.nextTick(() => { throw new Error('nobody cares') })`,
  'a timer': `globals.setTimeout(() => { throw new Error('nobody cares') }, 5)`,
};
const FOR_EVER = `const again = () => globals.setTimeout(again, 0); for (let i = 0; i < 5000; i += 1) again()`;
const NOTHING = '';
const ALL = [...Object.values(THROWS), FOR_EVER, NOTHING];

// Jest hears of fatal errors itself, so all plays have a process of their own.
describe('A process of the fleet', () => {
  let folder: string;
  let violations: readonly unknown[];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fatal-errors-'));
    const outfile = join(folder, 'program.cjs');
    await build({
      stdin: { contents: PROGRAM, resolveDir: root },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['@sluice/source'],
      external: ['esbuild'],
      logLevel: 'error',
    });
    const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, ...ALL], { env });
    violations = JSON.parse(stdout);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const violationOf = (begins: string): unknown => violations[ALL.indexOf(begins)];

  it.each(Object.entries(THROWS))('crashes if %s throws what nobody catches', (_, begins) => {
    const says = 'A process would have ended by itself: nobody cares.';
    expect(violationOf(begins)).toMatchObject({ invariant: 'crash', says });
  });

  it('is found out if it never comes to rest', () => {
    expect(violationOf(FOR_EVER)).toMatchObject({
      invariant: 'ends',
      says: expect.stringContaining('goes on for ever'),
    });
  });

  it('breaks nothing otherwise', () => {
    expect(violationOf(NOTHING)).toBeNull();
  });
});
