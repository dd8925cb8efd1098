import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';
import { CONNECT } from '../../../redis/test/clients/connections.js';
import type { Order, Part } from './asking.js';
import { type Server, startMariadb, startPostgres, startPrimary, startRedis, startSqlite } from './servers.js';

/** What an answer may come after its deadline and the longest turn of the event loop around it. */
const GRACE_MS = 20;

/** How long a server is frozen, and dead. */
const OUTAGE_MS = 1000;

/** A store has to decide again within this, whatever the machine has to do beside it. */
const BACK_MS = 10_000;

const STORES: readonly (readonly [name: string, start: () => Promise<Server>])[] = [
  ...Object.keys(CONNECT).map((client) => [client, startRedis] as const),
  ['PostgreSQL', startPostgres],
  ['MariaDB', startMariadb],
  ['SQLite', startSqlite],
  ['clusterStore', startPrimary],
];

let program: TestProgram;
let server: Server | undefined;
let asking: ChildProcess | undefined;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'program.ts'));
}, 180_000);

afterEach(async () => {
  asking?.kill('SIGKILL');
  await server?.stop();
}, 180_000);

afterAll(() => program.remove());

/** Gives a process an order, and returns what it answers. A process that has ended instead has failed. */
async function ordered<T>(process: ChildProcess, order: Order): Promise<T> {
  process.send(order);
  const [answer] = (await Promise.race([
    once(process, 'message'),
    once(process, 'exit').then(([code]) => Promise.reject(new Error(`The process that asks has ended: ${code}`))),
    pause(BACK_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`No answer to ${JSON.stringify(order)}`)),
    ),
  ])) as [T];
  return answer;
}

/** A part of the scene: something happens to the server, and is over after a while. Returns after how long the store decides again. */
async function outage(process: ChildProcess, name: string, begin: () => unknown, end: () => unknown): Promise<number> {
  await ordered(process, { begin: name });
  await begin();
  await pause(OUTAGE_MS);
  await end();
  return ordered<number>(process, { await: 'store' });
}

/** Prints what `npm run proof` shows. */
function print(name: string, parts: readonly Part[], thawedMs: number, restartedMs: number): void {
  const { latest } = parts.reduce((most, part) => (part.latest.lateMs > most.latest.lateMs ? part : most));
  const beyondMs = Math.max(...parts.map((part) => part.beyondMs));
  process.stdout.write(
    `outages: ${name}: the latest answer ${latest.lateMs.toFixed(1)} ms after its deadline, with a turn of ${latest.turnMs.toFixed(1)} ms; none more than ${beyondMs.toFixed(1)} ms after both; decides again after ${thawedMs.toFixed(0)} and ${restartedMs.toFixed(0)} ms\n`,
  );
}

it.each(STORES)(
  'Under load over %s, a server that is frozen, killed and restarted makes no answer late and rejects nothing, and the store decides again',
  async (name, start) => {
    server = await start();
    const { where, freeze, thaw, kill, restart } = server;
    asking = fork(program.path, [name, where], { execArgv: [] });
    await ordered(asking, { await: 'store' });
    await ordered(asking, { begin: 'healthy' });
    await pause(OUTAGE_MS / 2);
    const thawedMs = await outage(asking, 'frozen', freeze, thaw);
    const restartedMs = await outage(asking, 'killed', kill, restart);
    await ordered(asking, { begin: 'healthy again' });
    await pause(OUTAGE_MS / 2);
    const exit = once(asking, 'exit');
    const parts = await ordered<Part[]>(asking, { end: true });
    print(name, parts, thawedMs, restartedMs);
    expect(await exit).toEqual([0, null]);
    const { sources } = parts.find((part) => part.name === 'frozen') as Part;
    expect(Object.keys(sources)).toEqual(expect.arrayContaining(['local', 'allow', 'deny']));
    expect(parts.filter(({ beyondMs }) => beyondMs > GRACE_MS)).toEqual([]);
  },
  180_000,
);
