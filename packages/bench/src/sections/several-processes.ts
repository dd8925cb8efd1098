import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Worker } from '../child-process.js';
import { RedisServer } from '../redis-server.js';
import { workOf } from '../redis-work.js';
import { warmRounds } from '../rounds.js';
import { type Scale, warmUpMsOfCallers } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import { rate, type Table } from '../table.js';
import { SHARED_COUNTERS, type SharedLoad, type SharedOptions } from '../tasks/several-processes.js';
import { startWorker } from '../worker.js';

type SharedWorker = Worker<'several-processes'>;

const PROCESSES = 4;

type Counter = keyof typeof SHARED_COUNTERS;

/** The one that the others are held beside. */
const REDIS = SHARED_COUNTERS.redis;

/** Processes that count together. */
interface Group {
  readonly workers: readonly SharedWorker[];
  /** Reads the processor time of whoever keeps the counters. */
  readonly keeperMs: () => Promise<number>;
  readonly end: () => Promise<unknown>;
}

/** What all processes of a group did in a round. */
interface GroupLoad {
  readonly perSecond: number;
  /** Of all processes that ask, for each decision. */
  readonly callersUs: number;
  /** Of whoever keeps the counters, for each decision. */
  readonly keeperUs: number;
  readonly processorUs: number;
}

/** Four processes of one machine that count together: in the memory of one more, and in a Redis. */
export const severalProcesses: Section = {
  title: 'Several processes of one machine: what a decision costs all of them',

  async *run(scale) {
    const groups = new Map<string, Group>();
    try {
      for (const counter of Object.keys(SHARED_COUNTERS) as Counter[])
        groups.set(SHARED_COUNTERS[counter], await startGroup(scale, counter));
      for (const callers of scale.callers) yield await compare(groups, callers, scale);
    } finally {
      await Promise.all([...groups.values()].map((group) => group.end()));
    }
  },
};

const startGroup = (scale: Scale, counter: Counter): Promise<Group> =>
  counter === 'incr' || counter === 'redis' ? startOverRedis(scale, counter) : startOverSocket(scale, counter);

const startWorkers = (scale: Scale, options: SharedOptions): Promise<SharedWorker[]> =>
  Promise.all(Array.from({ length: PROCESSES }, () => startWorker(scale, 'several-processes', options)));

const endAll = (workers: readonly SharedWorker[]): Promise<unknown> =>
  Promise.all(workers.map((worker) => worker.end()));

async function startOverRedis(scale: Scale, counter: Counter): Promise<Group> {
  const server = await RedisServer.start();
  const client = new Redis(server.port, '127.0.0.1');
  const workers = await startWorkers(scale, { counter, place: `${server.port}` });
  return {
    workers,
    keeperMs: async () => (await workOf(client)).processorMs,
    end: async () => {
      await endAll(workers);
      client.disconnect();
      await server.stop();
    },
  };
}

async function startOverSocket(scale: Scale, counter: Counter): Promise<Group> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const place = join(folder, 'channel');
  const primary = await startWorker(scale, 'several-processes', { counter, place, isPrimary: true });
  const workers = await startWorkers(scale, { counter, place });
  return {
    workers,
    keeperMs: () => primary.ask('processorMs'),
    end: async () => {
      await endAll([...workers, primary]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function loadOf({ workers, keeperMs }: Group, callers: number, ms: number): Promise<GroupLoad> {
  const startMs = await keeperMs();
  const loads: SharedLoad[] = await Promise.all(workers.map((worker) => worker.ask('run', { callers, ms })));
  const keptMs = (await keeperMs()) - startMs;
  const sum = (what: keyof SharedLoad): number => loads.reduce((total, load) => total + load[what], 0);
  const decisions = sum('decisions');
  const callersUs = (1_000 * sum('processorMs')) / decisions;
  const keeperUs = (1_000 * keptMs) / decisions;
  const perSecond = loads.reduce((total, load) => total + load.decisions / load.seconds, 0);
  return { perSecond, callersUs, keeperUs, processorUs: callersUs + keeperUs };
}

async function compare(groups: ReadonlyMap<string, Group>, callers: number, scale: Scale): Promise<Table> {
  const subjects = new Map([...groups].map(([name, group]) => [name, () => loadOf(group, callers, scale.redisMs)]));
  const results = await warmRounds(warmUpMsOfCallers(scale, callers), scale.rounds, subjects);
  const of = (name: string, what: keyof GroupLoad): number[] => (results.get(name) ?? []).map((load) => load[what]);
  return {
    caption: `${PROCESSES} processes, ${callers} ${callers === 1 ? 'caller' : 'callers'} at once in each, 10,000 keys, sliding window, allowed`,
    head: [
      '',
      'decisions',
      'times RedisStore',
      "µs of the callers' processor",
      'µs of the processor where it is counted',
      'both',
      'both, times RedisStore',
    ],
    rows: [...results.keys()].map((name) => [
      name,
      rate(spreadOf(of(name, 'perSecond')).median),
      ratios(of(name, 'perSecond'), of(REDIS, 'perSecond')),
      spreadOf(of(name, 'callersUs')),
      spreadOf(of(name, 'keeperUs')),
      spreadOf(of(name, 'processorUs')),
      ratios(of(name, 'processorUs'), of(REDIS, 'processorUs')),
    ]),
  };
}
