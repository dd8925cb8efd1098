import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';

let program: TestProgram;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'verdict-layout-program.ts'));
});

afterAll(() => {
  program.remove();
});

it('lays out no verdict anew after the first refusal', async () => {
  // Without threads of its own, the compiler is done at the same place of the program in every run.
  const { stdout } = await promisify(execFile)(process.execPath, ['--predictable', '--trace-migration', program.path], {
    maxBuffer: 100_000_000,
  });
  // V8 prints a line for each object that gets another layout, with the fields that change.
  expect(stdout.split('\n').filter((line) => line.includes('retryAfterMs'))).toHaveLength(0);
});
