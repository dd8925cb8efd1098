import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { clusterStore } from '@sluice/cluster';
import { createLimiter, type Store, slidingWindow } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import { freshKeys } from '../fresh-key.js';
import { processorMs } from '../processor-time.js';

/** Who counts for several processes: a store, or the least that could count in the same place. */
export const SHARED_COUNTERS = {
  incr: 'bare INCR',
  redis: 'Sluice, RedisStore',
  lines: 'bare counter over a socket',
  cluster: 'Sluice, clusterStore',
} as const;

export interface SharedOptions {
  readonly counter: keyof typeof SHARED_COUNTERS;
  /** The port of a Redis, or the path of a socket. */
  readonly place: string;
  /** For a socket: whether this process is asked. */
  readonly isPrimary?: boolean;
}

interface SharedRound {
  readonly callers: number;
  readonly ms: number;
}

export interface SharedLoad {
  readonly decisions: number;
  readonly seconds: number;
  /** Of this process. */
  readonly processorMs: number;
}

/** Counts one unit of a key, and what is to be done at the end. */
interface SharedCounter {
  readonly count: (key: string) => Promise<unknown>;
  readonly end: () => unknown;
}

/** Longer than any answer takes on a busy machine: what the process itself would decide meanwhile is not the store's answer. */
const TIMEOUT = '10s';
const LIMIT = slidingWindow({ limit: 1_000_000_000, window: '1h' });
/** So many in a row before the clock is looked at. */
const IN_A_ROW = 10;
const KEYS = freshKeys(0, 10_000);

export async function start(options: SharedOptions) {
  const { count, end } = await open(options);
  let asked = 0;

  /** So many callers, each of whom asks again when it has its answer, until the time is over. */
  const run = async ({ callers, ms }: SharedRound): Promise<SharedLoad> => {
    const startProcessorMs = processorMs();
    const startMs = performance.now();
    let decisions = 0;
    const call = async (): Promise<void> => {
      do {
        for (let i = 0; i < IN_A_ROW; i += 1) {
          asked += 1;
          await count(KEYS[asked % KEYS.length] as string);
        }
        decisions += IN_A_ROW;
      } while (performance.now() - startMs < ms);
    };
    await Promise.all(Array.from({ length: callers }, call));
    const seconds = (performance.now() - startMs) / 1_000;
    return { decisions, seconds, processorMs: processorMs() - startProcessorMs };
  };
  return { run, processorMs, end };
}

function open({ counter, place, isPrimary }: SharedOptions): SharedCounter | Promise<SharedCounter> {
  if (counter === 'lines') return isPrimary ? answerLines(place) : askLines(place);
  if (counter === 'cluster') {
    const store = clusterStore({ role: isPrimary ? 'primary' : 'worker', channel: place, timeout: TIMEOUT });
    return { count: countIn(store), end: () => store.close() };
  }
  const client = new Redis(Number(place), '127.0.0.1');
  const count = counter === 'incr' ? (key: string) => client.incr(`incr:${key}`) : countIn(storeOver(client));
  return { count, end: () => client.disconnect() };
}

const storeOver = (client: Redis): Store<true> => new RedisStore({ client, timeout: TIMEOUT });

/** A scale that measures nothing has all in one process, where each policy needs a name of its own. */
let policies = 0;

function countIn(store: Store<true>): SharedCounter['count'] {
  policies += 1;
  const limiter = createLimiter<string, true>({ name: `shared-${policies}`, limit: LIMIT, store });
  return async (key) => {
    const { source, allowed } = await limiter.consume(key);
    if (source !== 'store' || !allowed) throw new Error(`${source} has decided: ${allowed}`);
  };
}

/** Counts in a Map, which never forgets, and answers a line for each line. */
async function answerLines(path: string): Promise<SharedCounter> {
  const counts = new Map<string, number>();
  const count = (key: string): number => {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
  const server = createServer((socket) => {
    eachText(socket, (keys) => socket.write(`${keys.map(count).join('\n')}\n`));
  }).listen(path);
  await once(server, 'listening');
  return { count: async (key) => count(key), end: () => server.close() };
}

async function askLines(path: string): Promise<SharedCounter> {
  const waiting: ((count: number) => void)[] = [];
  const socket = connect(path);
  eachText(socket, (counts) => {
    const answered = waiting.splice(0, counts.length);
    for (let i = 0; i < answered.length; i += 1) answered[i]?.(Number(counts[i]));
  });
  await once(socket, 'connect');
  const count = (key: string): Promise<number> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      socket.write(`${key}\n`);
    });
  return { count, end: () => socket.destroy() };
}

/** Calls `read` with the whole lines of what comes at once. */
function eachText(socket: ReturnType<typeof connect>, read: (lines: readonly string[]) => void): void {
  let rest = '';
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    if (lines.length > 0) read(lines);
  });
}
