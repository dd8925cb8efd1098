import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { boundOf, slidingWindow } from '@sluice/core';
import { build } from 'esbuild';
import { Redis } from 'ioredis';
import { RedisServer } from './redis-server.js';

const HOLDERS = 4;
const LIMIT = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'sluice-leasing-'));
const program = join(folder, 'holder.cjs');
let server: RedisServer;
let admitted = 0;

beforeAll(async () => {
  // From source, as one script: the tests need no build.
  await build({
    entryPoints: [join(__dirname, 'leasing/holder.ts')],
    bundle: true,
    platform: 'node',
    conditions: ['@sluice/source'],
    outfile: program,
    logLevel: 'error',
  });
  server = await RedisServer.start();
}, 60_000);

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startHolder(mode: string): ChildProcess {
  const args = [program, mode, `${server.port}`, `${LIMIT}`];
  const holder = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  holder.stdout?.on('data', (dots: Buffer) => {
    admitted += dots.length;
  });
  return holder;
}

beforeEach(async () => {
  admitted = 0;
  const client = new Redis(server.port);
  await client.flushall();
  await client.quit();
});

/** Also what it had written and nobody has read yet. */
async function kill(holder: ChildProcess): Promise<void> {
  const closed = once(holder, 'close');
  holder.kill('SIGKILL');
  await closed;
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await after(5);
}

/** Four processes spend all there is; one is frozen meanwhile, and another killed and replaced. */
async function spendAll(mode: string): Promise<void> {
  const holders = Array.from({ length: HOLDERS }, () => startHolder(mode));
  const [frozen, victim] = holders as [ChildProcess, ChildProcess];
  await until(() => admitted > LIMIT / 20);
  frozen.kill('SIGSTOP');
  await until(() => admitted > LIMIT / 10);
  await kill(victim);
  holders.push(startHolder(mode));
  await after(400);
  // What it held is over by now, and not to be spent.
  frozen.kill('SIGCONT');
  let before = -1;
  while (admitted > before) {
    before = admitted;
    await after(700);
  }
  await Promise.all(holders.filter((holder) => holder !== victim).map(kill));
}

it('admits never above the limit over four processes that lease it, while some are frozen and some are killed', async () => {
  await spendAll('leased');
  expect(admitted).toBeLessThanOrEqual(LIMIT);
  // Only what the killed one held is lost.
  expect(admitted).toBeGreaterThan(LIMIT / 2);
}, 60_000);

it('admits no more than the worst case over four processes that count apart, while some are frozen and some are killed', async () => {
  await spendAll('synced');
  const limit = slidingWindow({ limit: LIMIT, window: '1h' });
  const instances = HOLDERS + 1;
  expect(admitted).toBeLessThanOrEqual(
    boundOf(limit, '50m', { sync: '300ms', slice: 50, instances, onStoreError: 'deny' }),
  );
  // All of it is spent, but for what was charged to the killed one while it was on its way.
  expect(admitted).toBeGreaterThanOrEqual(LIMIT - 8);
}, 60_000);
