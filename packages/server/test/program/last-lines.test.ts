import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';

let program: TestProgram;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'last-lines-program.ts'));
});

afterAll(() => {
  program.remove();
});

/** Starts the program, and ends it when it has written its first line. */
async function lastLines({ isRead }: { readonly isRead: boolean }): Promise<{ ended: unknown[]; out: string }> {
  const child = spawn(process.execPath, [program.path], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 20_000 });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await once(child.stdout, 'data');
  if (!isRead) child.stdout.destroy();
  child.kill('SIGTERM');
  return { ended: await once(child, 'close'), out };
}

it('writes the last lines of the log before the program ends', async () => {
  const { ended, out } = await lastLines({ isRead: true });
  expect(ended).toEqual([0, null]);
  // A line that is on its way when the program ends may come after the last one.
  const lines = out.trim().split('\n');
  expect(new Set(lines.map((line) => JSON.parse(line).msg))).toEqual(new Set(['started', 'a line', 'the last line']));
  expect(lines).toHaveLength(3);
});

it('ends if nobody reads the last lines', async () => {
  const { ended } = await lastLines({ isRead: false });
  expect(ended).toEqual([0, null]);
});
