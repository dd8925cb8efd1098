import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';

const run = promisify(execFile);

let program: TestProgram;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'programs/clustered.ts'));
});
afterAll(() => program.remove());

interface Printed {
  readonly answers: readonly { readonly admitted: number; readonly sources: readonly string[] }[];
  readonly isPrimary: boolean;
}

it('The workers of node:cluster find their primary by themselves, share its counters, and end when they are disconnected', async () => {
  const { stdout } = await run(process.execPath, [program.path], { env: { PATH: process.env.PATH } });
  const { answers, isPrimary } = JSON.parse(stdout) as Printed;
  expect(isPrimary).toBe(true);
  expect(answers.flatMap(({ sources }) => sources)).toEqual(['store', 'store', 'store', 'store']);
  expect(answers.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(100);
});

it('Instances of PM2 find instance 0, which need not be the first to start, and count together', async () => {
  const pm2 = { pm_id: '7', exec_mode: 'cluster_mode', PM2_HOME: `/${process.pid}`, namespace: 'default', name: 'api' };
  const instance = (number: number) =>
    run(process.execPath, [program.path, 'instance'], {
      env: { PATH: process.env.PATH, ...pm2, NODE_APP_INSTANCE: `${number}` },
    });
  const printed = await Promise.all([1, 0].map(instance));
  const answers = printed.map(({ stdout }) => JSON.parse(stdout) as Printed['answers'][0] & { isPrimary: boolean });
  expect(answers.map(({ isPrimary }) => isPrimary)).toEqual([false, true]);
  expect(answers.flatMap(({ sources }) => sources)).toEqual(['store', 'store']);
  expect(answers.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(100);
});
