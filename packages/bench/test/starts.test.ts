import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { OURS, programOf, STARTS, type Start } from '../src/starts/programs.js';

/** From here, a program finds what it compares. */
const FOLDER = join(__dirname, '../dist/starts-from-source');

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Runs a program with our packages from source. */
async function stagesOf(name: string, start: Start): Promise<Readonly<Record<string, number>>> {
  const path = join(FOLDER, `${name}.mjs`);
  const { outputFiles } = await build({
    stdin: { contents: programOf(start, 5), resolveDir: join(__dirname, '..') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sluice/source'],
    external: ['express'],
    write: false,
  });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, outputFiles[0]?.contents ?? '');
  const { stdout } = await promisify(execFile)(process.execPath, [path]);
  return JSON.parse(stdout);
}

describe('The programs whose start is measured', () => {
  it('have one of Sluice for each kind', () => {
    for (const programs of STARTS.values()) expect([...programs.keys()]).toContain(OURS);
  });

  it.each(['In memory', 'Express'])('go through all stages in their order: %s', async (kind) => {
    const { rested = Number.NaN, ...stages } = await stagesOf(
      kind.replace(' ', '-'),
      STARTS.get(kind)?.get(OURS) as Start,
    );
    expect(Object.keys(stages)).toEqual(['imported', 'made', 'first', 'tenth', 'hundredth']);
    const times = Object.values(stages);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(rested).toBeGreaterThan(0);
  });
});
