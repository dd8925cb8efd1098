import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { tapeOf } from '../search/tapes.js';

const root = join(__dirname, '../../../..');

/** Plays a tape with code that does something when its process begins: the program's argument. Prints the violation. */
const PROGRAM = `
import { play } from ${JSON.stringify(join(root, 'packages/simulation/src/fleet/play.ts'))};
import { bundleOf } from ${JSON.stringify(join(root, 'packages/simulation/src/process/bundle.ts'))};
bundleOf(${JSON.stringify(root)}).then(async (bundle) => {
  const begins = new Function('globals', process.argv[2]);
  const begin = (globals) => {
    const code = bundle.begin(globals);
    begins(globals);
    return code;
  };
  const { violation } = await play(${JSON.stringify(tapeOf([]))}, [{ begin }]);
  console.log(JSON.stringify(violation ?? null));
});
`;

// Jest hears of fatal errors itself, so each run has a process of its own.
describe('A process of the fleet', () => {
  let folder: string;
  let outfile: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fatal-errors-'));
    outfile = join(folder, 'program.cjs');
    await build({
      stdin: { contents: PROGRAM, resolveDir: root },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      packages: 'external',
      logLevel: 'error',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const violationOf = async (begins: string): Promise<unknown> => {
    const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, begins], { env });
    return JSON.parse(stdout);
  };

  it.each([
    ['a promise', `Promise.reject(new Error('nobody cares'))`],
    ['a microtask', `queueMicrotask(() => { throw new Error('nobody cares') })`],
    ['a tick', `process.nextTick(() => { throw new Error('nobody cares') })`],
    ['a timer', `globals.setTimeout(() => { throw new Error('nobody cares') }, 5)`],
  ])('crashes if %s throws what nobody catches', async (_, begins) => {
    const says = 'A process would have ended by itself: nobody cares.';
    expect(await violationOf(begins)).toMatchObject({ invariant: 'crash', says });
  });

  it('is found out if it never comes to rest', async () => {
    const begins = `const again = () => globals.setTimeout(again, 0); for (let i = 0; i < 5000; i += 1) again()`;
    expect(await violationOf(begins)).toMatchObject({
      invariant: 'ends',
      says: expect.stringContaining('goes on for ever'),
    });
  });

  it('breaks nothing otherwise', async () => {
    expect(await violationOf('')).toBeNull();
  });
});
