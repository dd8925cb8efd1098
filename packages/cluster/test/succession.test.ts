import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { createLimiter, type StoreRequest, slidingWindow } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { readinessSuite } from '@sluice/test-kit/readiness-suite';
import { TestProgram } from '@sluice/test-kit/test-program';
import { until } from '@sluice/test-kit/until';
import { type ClusterStore, type ClusterStoreOptions, clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';
import { PrimaryProcess } from './programs/primary-process.js';

const LIMIT = slidingWindow({ limit: 100, window: '1h' });
const REQUEST: StoreRequest = { checks: [{ policy: 'p', name: 'n', key: 'ann', limit: LIMIT, cost: 1 }] };

const open = (options: ClusterStoreOptions): ClusterStore =>
  closedAfterTest(clusterStore({ timeout: '10s', ...options }));

const usedOf = async (store: ClusterStore): Promise<number | undefined> =>
  (await store.consume({ ...REQUEST, peek: true })).verdicts[0]?.used;

/** Leaves a socket on which nobody listens. */
async function leaveSocket(channel: string): Promise<void> {
  const gone = createServer().listen(`${channel}.gone`);
  await once(gone, 'listening');
  renameSync(`${channel}.gone`, channel);
  await new Promise((resolve) => gone.close(resolve));
}

let stranger: Server | undefined;
afterEach(() => void stranger?.close());

readinessSuite('a ClusterStore without a primary', () => ({
  store: clusterStore({ role: 'worker', channel: newChannel(), timeout: '1s' }),
  release() {},
}));

it('A second primary asks the first one, and keeps the counters as soon as that has ended', async () => {
  const channel = newChannel();
  const first = open({ role: 'primary', channel });
  const second = open({ role: 'primary', channel });
  const worker = open({ role: 'worker', channel });
  expect([first.isPrimary, second.isPrimary, worker.isPrimary]).toEqual([true, false, false]);
  for (const store of [first, second, worker]) await store.consume(REQUEST);
  expect(await usedOf(second)).toBe(3);
  await first.close();
  await until(() => second.isPrimary);
  await worker.consume(REQUEST);
  expect(await usedOf(second)).toBe(1);
});

it('A call of a policy that waits longer than the store waits for the next primary', async () => {
  const channel = newChannel();
  const worker = open({ role: 'worker', channel, timeout: 20 });
  const patient = createLimiter({ limit: 5, window: '1h', store: worker, timeout: '1m', onStoreError: 'deny' });
  const decided = [patient.consume('ann'), patient.reserve('ann')];
  const hasty = createLimiter({ name: 'hasty', limit: 5, window: '1h', store: worker, onStoreError: 'deny' });
  for (let i = 0; i < 3; i += 1) expect((await hasty.consume('ann')).source).toBe('deny');
  open({ role: 'primary', channel });
  for (const { source } of await Promise.all(decided)) expect(source).toBe('store');
});

it('A call that waits for a primary which never comes is answered by the process that becomes the primary', async () => {
  const channel = newChannel();
  const first = open({ role: 'primary', channel });
  const second = open({ role: 'primary', channel });
  await second.ready();
  const closing = first.close();
  const waiting = second.consume(REQUEST);
  await closing;
  expect((await waiting).allowed).toBe(true);
});

it('Calls that wait behind others for the next primary are answered by the process that becomes it, too', async () => {
  const channel = newChannel();
  const first = open({ role: 'primary', channel });
  const second = open({ role: 'primary', channel });
  await second.ready();
  void first.close();
  const waiting: ReturnType<ClusterStore['consume']>[] = [];
  // The first batch is sent, and the others follow its answer. Nothing is read from a socket meanwhile.
  for (let i = 0; i < 5; i += 1) {
    waiting.push(second.consume(REQUEST), second.consume(REQUEST));
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
  expect(second.isPrimary).toBe(false);
  const responses = await Promise.all(waiting);
  expect(responses.map(({ allowed }) => allowed)).toEqual(Array.from({ length: 10 }, () => true));
  expect(await usedOf(second)).toBe(10);
});

it('A store that is being closed does not become the primary: the next one does', async () => {
  const channel = newChannel();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket);
    socket.write('[3,0]\n');
  }).listen(channel);
  await once(silent, 'listening');
  const closing = open({ role: 'primary', channel, timeout: 200 });
  await until(() => sockets.length > 0);
  const waiting = Promise.resolve(closing.consume(REQUEST)).catch((error) => error.code);
  await new Promise(setImmediate);
  const closed = closing.close();
  silent.close();
  for (const socket of sockets) socket.destroy();
  await closed;
  // The deadline of the call ends at about the same time as the wait of the close.
  expect(['SLUICE_CLOSED', 'SLUICE_STORE']).toContain(await waiting);
  expect(closing.isPrimary).toBe(false);
  expect(open({ role: 'primary', channel }).isPrimary).toBe(true);
});

it('A call that cannot be written fails, and those that come after it are answered', async () => {
  const channel = newChannel();
  const worker = open({ role: 'worker', channel });
  const odd = worker.consume({ checks: [{ ...REQUEST.checks[0], cost: 1n } as never] });
  const others: ReturnType<ClusterStore['consume']>[] = [];
  for (let i = 0; i < 5; i += 1) {
    await new Promise(setImmediate);
    others.push(worker.consume(REQUEST));
  }
  open({ role: 'primary', channel });
  await expect(odd).rejects.toThrow('BigInt');
  await Promise.all(others);
  expect(await usedOf(worker)).toBe(5);
});

it('The socket of a primary that was killed is replaced', async () => {
  const program = await TestProgram.build(join(__dirname, 'programs/primary.ts'));
  const channel = newChannel();
  const killed = new PrimaryProcess(program.path, channel);
  await killed.run();
  await killed.kill();
  program.remove();
  expect(existsSync(channel)).toBe(true);
  const next = open({ role: 'primary', channel });
  await next.ready();
  expect(next.isPrimary).toBe(true);
  expect(await usedOf(open({ role: 'worker', channel }))).toBe(0);
});

it('Of two primaries that find the socket of one that was killed, one keeps the counters', async () => {
  for (let i = 0; i < 20; i += 1) {
    const channel = newChannel();
    await leaveSocket(channel);
    const stores = [open({ role: 'primary', channel }), open({ role: 'primary', channel })];
    await Promise.all(stores.map((store) => store.ready()));
    for (const store of stores) await store.consume(REQUEST);
    expect(await Promise.all(stores.map(usedOf))).toEqual([2, 2]);
    expect(stores.filter(({ isPrimary }) => isPrimary)).toHaveLength(1);
  }
});

it('A file that is no socket stays, and the error says what is wrong', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-test-'));
  const channel = join(folder, 'notes');
  writeFileSync(channel, 'mine');
  const store = open({ role: 'primary', channel, timeout: 50 });
  await expect(store.ready({ timeout: 100 })).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(existsSync(channel)).toBe(true);
  rmSync(folder, { recursive: true });
});

it('A socket that cannot be made is named by the error', async () => {
  const channel = `${newChannel()}/missing`;
  const store = open({ role: 'primary', channel, timeout: 50 });
  await expect(store.ready({ timeout: 100 })).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining(
      `this process cannot keep the counters: listen EACCES: permission denied ${channel}`,
    ),
  });
});

it('A primary of another version is not asked, and the error says so', async () => {
  const channel = newChannel();
  stranger = createServer((socket) => socket.end('[1,0]\n')).listen(channel);
  const store = open({ role: 'worker', channel, timeout: 50 });
  await expect(store.ready({ timeout: 500 })).rejects.toThrow(
    'the primary cannot be reached: it has another version of Sluice',
  );
});

it('A worker of another version is told the version of the primary, and then left', async () => {
  const channel = newChannel();
  await open({ role: 'primary', channel }).ready();
  const socket = createConnection(channel).setEncoding('utf8');
  socket.write('[1]\n[0,0]\n');
  let told = '';
  for await (const text of socket) told += text;
  expect(told).toMatch(/^\[3,[\d.]+\]\n$/);
});

it.each([
  '[1]\n',
  'GET / HTTP/1.1\n',
  '[3]\nnothing\n',
  '[3]\n[0,7,"ann"]\n',
  '[3]\n[0,null]\n',
  '[3]\n[0,-2,1,7,"ann",1]\n',
  '[3]\n[0,-2,-1]\n',
])('A connection that says %j is ended, and the others are not', async (text) => {
  const channel = newChannel();
  open({ role: 'primary', channel });
  const worker = open({ role: 'worker', channel });
  await worker.ready();
  const socket = createConnection(channel).resume();
  socket.write(text);
  await new Promise((resolve) => socket.on('close', resolve));
  expect((await worker.consume(REQUEST)).allowed).toBe(true);
});

it('A closed store rejects, and calls that were sent are answered before', async () => {
  const channel = newChannel();
  open({ role: 'primary', channel });
  const worker = open({ role: 'worker', channel });
  await worker.ready();
  const sent = worker.consume(REQUEST);
  await worker.close();
  expect((await sent).allowed).toBe(true);
  for (const closed of [worker, open({ role: 'primary', channel: newChannel() })]) {
    await closed.close();
    await expect(closed.consume(REQUEST)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    await expect(closed.reset([])).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    await expect(closed.ready()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  }
});
