import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type StoreRequest, slidingWindow } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import { TestProgram } from '@sluice/test-kit/test-program';
import { until } from '@sluice/test-kit/until';
import { type ClusterStore, type ClusterStoreOptions, clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';
import { PrimaryProcess } from './programs/primary-process.js';

const LIMIT = slidingWindow({ limit: 100, window: '1h' });
const REQUEST: StoreRequest = { checks: [{ policy: 'p', name: 'n', key: 'ann', limit: LIMIT, cost: 1 }] };

const open = (options: ClusterStoreOptions): ClusterStore =>
  closedAfterTest(clusterStore({ timeout: '10s', ...options }));

async function admitted(store: ClusterStore, requests: number): Promise<number> {
  const responses = await Promise.all(Array.from({ length: requests }, () => store.consume(REQUEST)));
  return responses.filter(({ allowed }) => allowed).length;
}

it('Counters outlive a primary that is closed, and its workers go on with the next one', async () => {
  const [channel, snapshot] = [newChannel(), newChannel()];
  const worker = open({ role: 'worker', channel });
  const first = open({ role: 'primary', channel, snapshot });
  expect(first.snapshotAgeMs).toBeUndefined();
  expect(await admitted(worker, 60)).toBe(60);
  await first.close();
  expect(statSync(snapshot).mode & 0o777).toBe(0o600);
  // Nobody answers now, so they wait for the next one.
  const waiting = admitted(worker, 60);
  const next = open({ role: 'primary', channel, snapshot });
  expect(await waiting).toBe(40);
  expect(next.snapshotAgeMs).toBeGreaterThanOrEqual(0);
  expect(next.snapshotAgeMs).toBeLessThan(60_000);
  // It is read once.
  expect(existsSync(snapshot)).toBe(false);
});

it('A primary that takes over, as in a reload, goes on with the counters of the one before it', async () => {
  const [channel, snapshot] = [newChannel(), newChannel()];
  const first = open({ role: 'primary', channel, snapshot });
  const second = open({ role: 'primary', channel, snapshot });
  expect(await admitted(second, 60)).toBe(60);
  await first.close();
  await until(() => second.isPrimary);
  expect(await admitted(second, 60)).toBe(40);
});

it('A process that exits without closing its store writes them, too, and one that is killed does not', async () => {
  const program = await TestProgram.build(join(__dirname, 'programs/primary.ts'));
  const [channel, snapshot] = [newChannel(), newChannel()];
  const primary = new PrimaryProcess(program.path, channel, snapshot);
  const worker = open({ role: 'worker', channel });
  const counts: number[] = [];
  for (const end of ['exit', 'kill', 'kill'] as const) {
    await primary.run();
    counts.push(await admitted(worker, 60));
    await primary[end]();
  }
  program.remove();
  expect(counts).toEqual([60, 40, 60]);
});

it('Two stores of one program need two files: one would overwrite the counters of the other', async () => {
  const snapshot = newChannel();
  for (const role of ['primary', 'worker'] as const) {
    const channel = newChannel();
    const [first, again] = [open({ role, channel, snapshot }), open({ role, channel, snapshot })];
    expect(() => open({ role, channel: newChannel(), snapshot })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'snapshot', received: snapshot }),
    );
    await first.close();
    expect(() => open({ role, channel: newChannel(), snapshot })).toThrow();
    await again.close();
  }
});

it('A file that is no snapshot stays until the next one is written, with a warning, and the counters begin with nothing', async () => {
  const [channel, snapshot] = [newChannel(), newChannel()];
  writeFileSync(snapshot, 'mine');
  const warnings = emittedWarnings();
  const store = open({ role: 'primary', channel, snapshot });
  expect(await admitted(store, 1)).toBe(1);
  expect(readFileSync(snapshot, 'latin1')).toBe('mine');
  expect(warnings).toEqual([
    expect.objectContaining({ code: 'SLUICE_SNAPSHOT_UNREAD', message: expect.stringContaining(snapshot) }),
  ]);
  await store.close();
  expect(readFileSync(snapshot, 'latin1')).not.toBe('mine');
});

it('A snapshot that cannot be written fails the close, which frees the channel nevertheless', async () => {
  const channel = newChannel();
  const folder = newChannel();
  const store = clusterStore({ role: 'primary', channel, snapshot: join(folder, 'missing', 'file') });
  await expect(store.close()).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('could not be written: ENOENT'),
  });
  await store.close();
  mkdirSync(folder);
  expect(open({ role: 'primary', channel }).isPrimary).toBe(true);
});
