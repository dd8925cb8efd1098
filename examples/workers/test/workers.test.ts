import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { boundOf } from '@sluice/core';
import { TestProgram } from '@sluice/test-kit/test-program';
import { type Arrival, mostWithin } from '../src/upstream.js';
import { limitFor } from '../src/upstream-limiter.js';
import { play, type Scene } from './play.js';

/** `npm run proof workers` plays all of it. */
const IS_FULL = process.env.SLUICE_WORKERS === 'full';

const FULL: Scene = {
  workers: 4,
  messages: 1000,
  quota: { limit: 200, windowMs: 5000, travelMs: 1000 },
  overloadedAt: 300,
  retryAfterS: 5,
};

/** A busy machine may take long between the limiter and the upstream, so the time for that is long. */
const SHORT: Scene = {
  workers: 2,
  messages: 40,
  quota: { limit: 30, windowMs: 400, travelMs: 800 },
  overloadedAt: 10,
  retryAfterS: 2,
};

/** How long it may take until all workers stop. */
const SPREAD_MS = IS_FULL ? 100 : 1000;

it.each([
  FULL.quota,
  SHORT.quota,
  { limit: 1, windowMs: 1000, travelMs: 100 },
  { limit: 7, windowMs: 60_000, travelMs: 1 },
])('C6: the limit of the workers never admits more than %o allows', (quota) => {
  expect(boundOf(limitFor(quota), quota.windowMs + quota.travelMs)).toBeLessThanOrEqual(quota.limit);
});

it.each(['upstream', 'web', 'worker'])(
  'the %s process ends when the process that has started it is gone',
  async (name) => {
    const program = await TestProgram.build(join(__dirname, `../src/${name}-main.ts`));
    // No Redis listens there: a process ends also while it waits for one.
    const env = { ...process.env, PORT: '0', REDIS_URL: 'redis://127.0.0.1:1', UPSTREAM_URL: 'http://127.0.0.1:1' };
    const child = fork(program.path, { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    try {
      await Promise.race([
        once(child.stdout as NodeJS.ReadableStream, 'data'),
        once(child.stderr as NodeJS.ReadableStream, 'data'),
      ]);
      const ended = once(child, 'exit');
      child.disconnect(); // as when the parent is killed
      expect(await ended).toEqual([1, null]);
    } finally {
      child.kill('SIGKILL');
      program.remove();
    }
  },
  30_000,
);

it('C6: workers of several processes stay within the limit of an upstream, and all stop when it asks one of them to', async () => {
  const scene = IS_FULL ? FULL : SHORT;
  const { limit, windowMs, travelMs } = scene.quota;
  const { record, pausedAtMs, states, exitCodes } = await play(scene);

  const most = mostWithin(record, windowMs);
  // A request that was under way for longer than the example allows for was late because this machine is busy.
  const spreadMs = Math.max(...record.map(({ atMs, admittedAtMs }) => atMs - admittedAtMs));
  const bound = spreadMs <= travelMs ? limit : boundOf(limitFor(scene.quota), windowMs + spreadMs);
  expect(most).toBeLessThanOrEqual(bound);

  const refused = record.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(1);
  const refusedAtMs = refused[0]?.atMs as number;
  const endMs = refusedAtMs + scene.retryAfterS * 1000;
  const during = record.filter(({ atMs }) => atMs > refusedAtMs + SPREAD_MS && atMs < endMs);
  // On a busy machine, requests may be late that were admitted before the pause.
  expect(during.filter(({ admittedAtMs }) => IS_FULL || admittedAtMs > pausedAtMs + SPREAD_MS)).toEqual([]);

  expect(states).toEqual(['completed', 'completed']);
  expect(exitCodes).toEqual(Array(scene.workers + 1).fill(0));
  if (IS_FULL) report(scene, { most, refusedAtMs, record });
});

function report(
  { quota, messages }: Scene,
  seen: { most: number; refusedAtMs: number; record: readonly Arrival[] },
): void {
  const after = seen.record.filter(({ atMs }) => atMs > seen.refusedAtMs).map(({ atMs }) => atMs - seen.refusedAtMs);
  const lastMs = Math.max(0, ...after.filter((ms) => ms < 1000));
  const firstMs = Math.min(...after.filter((ms) => ms >= 1000));
  process.stdout.write(
    `workers: ${messages} messages, at most ${seen.most} in any ${quota.windowMs} ms (limit ${quota.limit}), ` +
      `silent from ${lastMs} to ${firstMs} ms after a 429\n`,
  );
}
