import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { slidingWindow } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { TestProgram } from '@sluice/test-kit/test-program';
import { SqliteStore } from '../../src/index.js';
import { newFile } from '../database-folder.js';

const LIMIT = slidingWindow({ limit: 10_000_000, window: '1h' });

let program: TestProgram;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'spender.ts'));
});
afterAll(() => program.remove());

/** Starts a process that spends until it is killed, and prints a line for each unit that was charged. */
function spender(file: string, shell = ''): ChildProcess {
  const command = `${shell}exec "${process.execPath}" "${program.path}" "${file}" "${__filename}"`;
  return spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Collects the lines that a process prints. */
function linesOf(child: ChildProcess): { text: string } {
  const printed = { text: '' };
  child.stdout?.setEncoding('latin1').on('data', (text: string) => {
    printed.text += text;
  });
  return printed;
}

const count = (text: string, line: string): number => text.split('\n').filter((each) => each === line).length;

async function usedOf(file: string): Promise<number> {
  const store = closedAfterTest(new SqliteStore({ file, timeout: '5s' }));
  const { verdicts } = await store.consume({
    checks: [{ policy: 'p', name: 'n', key: 'ann', limit: LIMIT, cost: 1 }],
    peek: true,
  });
  return verdicts[0]?.used ?? 0;
}

it('A process that is killed at any moment loses nothing, and blocks nobody', async () => {
  const file = newFile();
  let charged = 0;
  for (let round = 0; round < 8; round += 1) {
    const child = spender(file);
    const printed = linesOf(child);
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    await new Promise((resolve) => setTimeout(resolve, 7 * round));
    child.kill('SIGKILL');
    await once(child, 'close');
    charged += count(printed.text, 'charged');
    const used = await usedOf(file);
    expect(used).toBeGreaterThanOrEqual(charged);
    // The last charge may have been made and not been printed.
    expect(used).toBeLessThanOrEqual(charged + round + 1);
  }
}, 60_000);

it('A disk that takes no more fails decisions, says so, and harms nothing that was written', async () => {
  const file = newFile();
  // No file of this process may have more than 64 blocks of 512 bytes.
  const child = spender(file, 'ulimit -f 64; ');
  const printed = linesOf(child);
  await once(child, 'close');
  expect(printed.text).toMatch(/failed: .*disk of .*limits\.db (?:is full|failed, or is full).*\n/);
  const used = await usedOf(file);
  expect(used).toBe(count(printed.text, 'charged'));
  expect(used).toBeGreaterThan(0);
}, 60_000);
