import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLimiter } from '@sluice/core';
import { RedisStore, reconnectDelay } from '@sluice/redis';
import { Redis } from 'ioredis';
import { RedisServer } from '../redis/redis-server.js';

// How long after the return of a Redis each instance of a fleet decides by it again: `npm run way-back -w @sluice/test-kit`. Without
// options, it plays both faults with what "How to grow" recommends. With JSON as its argument, it is a part of the fleet.

const PROCESSES = 4;

/** How often each instance is asked. */
const EVERY_MS = 100;

/** How long is looked after a return, and how long the fleet then rests. */
const LOOKED_MS = 3000;
const REST_MS = 2000;

const ALLOWED_MS = 1000;

type Fault = 'freeze' | 'kill';

interface Fleet {
  readonly instances: number;
  /** 0: none. */
  readonly socketTimeout: number;
  /** Between two attempts to connect. Absent: by `reconnectDelay`. */
  readonly retryMs?: number;
}

interface Trials extends Fleet {
  readonly fault: Fault;
  readonly trials: number;
  readonly awayMs: number;
}

interface Part extends Fleet {
  readonly port: number;
  readonly count: number;
}

/** What a part of the fleet is told: that the server is back, since this time; or to report. */
type Message = { readonly backAtMs?: number };

const nowMs = (): number => performance.timeOrigin + performance.now();

/** Some of the instances. They report how long after the return each decided by Redis first. */
function runInstances({ port, count, instances, socketTimeout, retryMs }: Part): void {
  let backAtMs = Number.POSITIVE_INFINITY;
  let backMs: number[] = [];
  const delay = reconnectDelay({ instances });
  const limiters = Array.from({ length: count }, () => {
    const client = new Redis(port, '127.0.0.1', {
      retryStrategy: () => retryMs ?? delay(),
      connectTimeout: 400,
      ...(socketTimeout > 0 && { socketTimeout }),
    });
    client.on('error', () => {});
    return createLimiter<string, true>({
      limit: 1_000_000,
      window: '1m',
      store: new RedisStore({ client, instances }),
    });
  });
  limiters.forEach((limiter, i) => {
    const ask = async (): Promise<void> => {
      const { source } = await limiter.consume(`user-${i}`);
      if (source === 'store' && nowMs() >= backAtMs) backMs[i] ??= nowMs() - backAtMs;
    };
    setTimeout(() => setInterval(ask, EVERY_MS), (EVERY_MS * i) / count);
  });
  process.on('message', (message: Message) => {
    if (message.backAtMs === undefined) {
      process.send?.(limiters.map((_, i) => backMs[i] ?? null));
    } else {
      backAtMs = message.backAtMs;
      backMs = [];
    }
  });
  process.send?.('ready');
}

const messagesOf = (children: readonly ChildProcess[]): Promise<unknown[]> =>
  Promise.all(children.map(async (child) => (await once(child, 'message'))[0] as unknown));

/** Lets Redis be away as often as there are trials. Returns of each trial when each instance was back. */
async function timesOf({ trials, awayMs, fault, ...fleet }: Trials): Promise<readonly (readonly number[])[]> {
  const server = await RedisServer.start();
  const part: Part = { ...fleet, port: server.port, count: Math.ceil(fleet.instances / PROCESSES) };
  const children = Array.from({ length: PROCESSES }, () => fork(process.argv[1] as string, [JSON.stringify(part)]));
  const times: number[][] = [];
  try {
    await messagesOf(children);
    for (let trial = 0; trial < trials; trial += 1) {
      await pause(REST_MS);
      if (fault === 'freeze') await server.freeze();
      else await server.kill();
      // Not always in the same phase of what the instances do.
      await pause(awayMs + (500 * trial) / trials);
      if (fault === 'freeze') await server.thaw();
      else await server.run();
      const backAtMs = nowMs();
      for (const child of children) child.send({ backAtMs } satisfies Message);
      await pause(LOOKED_MS);
      const reports = messagesOf(children);
      for (const child of children) child.send({} satisfies Message);
      times.push(((await reports) as (number | null)[][]).flat().map((ms) => ms ?? Number.POSITIVE_INFINITY));
    }
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await server.stop();
  }
  return times;
}

/** Prints what the trials have shown. Returns whether the first decision came in time in 99 of 100 trials. */
async function measure(options: Trials): Promise<boolean> {
  const times = await timesOf(options);
  const all = times.flat().toSorted((one, other) => one - other);
  const at = (part: number): number =>
    Math.round(all[Math.min(all.length - 1, Math.floor(part * all.length))] as number);
  const firsts = times.map((trial) => Math.min(...trial));
  const inTime = (backMs: readonly number[]): number => backMs.filter((ms) => ms <= ALLOWED_MS).length;
  const { instances, fault, awayMs, trials, socketTimeout, retryMs } = options;
  const attempts = retryMs === undefined ? 'by reconnectDelay' : `after ${retryMs} ms`;
  console.log(
    `way back: ${instances} instances, Redis ${fault === 'freeze' ? 'frozen' : 'killed'} for ${awayMs} ms, socketTimeout ${socketTimeout || 'none'}, attempts ${attempts}: ` +
      `first decision by Redis within a second in ${inTime(firsts)} of ${trials} trials, latest after ${Math.round(Math.max(...firsts))} ms; ` +
      `all instances within a second in ${inTime(times.map((trial) => Math.max(...trial)))}; an instance p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
  );
  return inTime(firsts) >= 0.99 * trials;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      instances: { type: 'string', default: '200' },
      trials: { type: 'string', default: '10' },
      'away-ms': { type: 'string', default: '3000' },
      fault: { type: 'string' },
      'socket-timeout': { type: 'string', default: '2000' },
      'retry-ms': { type: 'string' },
    },
  });
  for (const fault of ['freeze', 'kill'] as const) {
    if (values.fault !== undefined && values.fault !== fault) continue;
    const isInTime = await measure({
      fault,
      instances: Number(values.instances),
      trials: Number(values.trials),
      awayMs: Number(values['away-ms']),
      socketTimeout: Number(values['socket-timeout']),
      ...(values['retry-ms'] !== undefined && { retryMs: Number(values['retry-ms']) }),
    });
    if (!isInTime) process.exitCode = 1;
  }
}

const [, , argument = ''] = process.argv;
if (argument.startsWith('{')) runInstances(JSON.parse(argument));
else main();
