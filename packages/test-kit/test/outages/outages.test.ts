import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TestProgram } from '@sluice/test-kit/test-program';
import { CONNECT } from '../../../redis/test/clients/connections.js';
import { CONNECT_BY_SENTINEL } from '../../../redis/test/clients/connections-by-sentinel.js';
import { CONNECT_CLUSTER } from '../../../redis/test/clients/connections-to-cluster.js';
import { BY_SENTINEL, OF_CLUSTER, type Order, type Part } from './asking.js';
import {
  type Server,
  startCluster,
  startMariadb,
  startPostgres,
  startPrimary,
  startRedis,
  startSentinel,
  startSqlite,
} from './servers.js';

/**
 * What an answer may come after its deadline and the longest turn of the event loop around it. On a machine that is so busy that bare
 * timers of the same process come later than that, answers may, too.
 */
const GRACE_MS = 20;

/** How long a server is frozen, and dead. */
const OUTAGE_MS = 1000;

/** A store has to decide again within this, whatever the machine has to do beside it. */
const BACK_MS = 10_000;

const STORES: readonly (readonly [name: string, start: () => Promise<Server>])[] = [
  ...Object.keys(CONNECT).map((client) => [client, startRedis] as const),
  ...Object.keys(CONNECT_BY_SENTINEL).map((client) => [`${client}${BY_SENTINEL}`, startSentinel] as const),
  ...Object.keys(CONNECT_CLUSTER).map((client) => [`${client}${OF_CLUSTER}`, startCluster] as const),
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

const mostOf = (parts: readonly Part[], of: 'beyondMs' | 'timersBeyondMs'): number =>
  Math.max(...parts.map((part) => part[of]));

/** Prints what `npm run proof` shows. */
function print(name: string, parts: readonly Part[], thawedMs: number, restartedMs: number): void {
  const { latest } = parts.reduce((most, part) => (part.latest.lateMs > most.latest.lateMs ? part : most));
  const beyondMs = mostOf(parts, 'beyondMs');
  const timersMs = mostOf(parts, 'timersBeyondMs');
  process.stdout.write(
    `outages: ${name}: the latest answer ${latest.lateMs.toFixed(1)} ms after its deadline, with a turn of ${latest.turnMs.toFixed(1)} ms; none more than ${beyondMs.toFixed(1)} ms after both, and bare timers ${timersMs.toFixed(1)} ms; decides again after ${thawedMs.toFixed(0)} and ${restartedMs.toFixed(0)} ms\n`,
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
    expect(mostOf(parts, 'beyondMs')).toBeLessThanOrEqual(GRACE_MS + mostOf(parts, 'timersBeyondMs'));
  },
  180_000,
);
