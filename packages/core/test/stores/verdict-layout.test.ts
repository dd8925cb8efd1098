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

it('does not lay out verdicts anew after the first refusal', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--trace-migration', program.path], {
    maxBuffer: 100_000_000,
  });
  // V8 prints a line for each object that gets another layout. Some do while the program warms up.
  expect(stdout.split('[migrating]').length).toBeLessThan(1000);
});
