import { boundOf, fixedWindow } from '@sluice/core';
import type { Worker } from '../child-process.js';
import { PROCESSES, SHARED_KEY_CONTENDERS, SLICE, STRICT } from '../contenders/redis/shared-key.js';
import { RedisServer } from '../redis-server.js';
import { warmRounds } from '../rounds.js';
import { type Scale, warmUpMsOfCallers } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import { type Cell, rate, type Table } from '../table.js';
import type { SharedKeyLoad } from '../tasks/shared-key.js';
import { startWorker } from '../worker.js';

type SharedKeyWorker = Worker<'shared-key'>;

export const UNREACHED = 1_000_000_000;
/** That all processes together have spent long before a round is over. */
const REACHED = 100_000;

/** One key that all processes share: how fast, and how many are admitted. */
export const sharedKey: Section = {
  title: 'Redis: one key that all processes share',

  async *run(scale) {
    const server = await RedisServer.start();
    const workers = new Map<string, readonly SharedKeyWorker[]>();
    try {
      for (const contender of SHARED_KEY_CONTENDERS.keys()) {
        const start = (isToProve: boolean) =>
          startWorker(scale, 'shared-key', { contender, port: server.port, isToProve });
        workers.set(contender, await Promise.all(Array.from({ length: PROCESSES }, (_, i) => start(i === 0))));
      }
      for (const callers of scale.callers) yield await speeds(workers, callers, scale);
      yield await admissions(workers, scale);
    } finally {
      await Promise.all([...workers.values()].flat().map((worker) => worker.end()));
      await server.stop();
    }
  },
};

let rounds = 0;

function speedOf([worker]: readonly SharedKeyWorker[], callers: number, ms: number): Promise<SharedKeyLoad> {
  rounds += 1;
  return (worker as SharedKeyWorker).ask('run', { name: `round-${rounds}`, callers, ms, limit: UNREACHED });
}

async function speeds(
  workers: ReadonlyMap<string, readonly SharedKeyWorker[]>,
  callers: number,
  scale: Scale,
): Promise<Table> {
  const subjects = new Map([...workers].map(([name, four]) => [name, () => speedOf(four, callers, scale.redisMs)]));
  const results = await warmRounds(warmUpMsOfCallers(scale, callers), scale.rounds, subjects);
  const of = (name: string, what: keyof SharedKeyLoad): number[] => (results.get(name) ?? []).map((load) => load[what]);
  return {
    caption: `One process, ${callers} ${callers === 1 ? 'caller' : 'callers'} at once, all admitted`,
    head: ['', 'decisions', 'times strict', 'µs a decision', "µs of the caller's processor"],
    rows: [...results.keys()].map((name) => [
      name,
      rate(spreadOf(of(name, 'perSecond')).median),
      ratios(of(name, 'perSecond'), of(STRICT, 'perSecond')),
      spreadOf(of(name, 'perSecond').map((perSecond) => 1e6 / perSecond)),
      spreadOf(of(name, 'processorUs')),
    ]),
  };
}

/** Every process asks for as long as it is admitted; all of them together are to be admitted `REACHED` times. */
async function admissions(
  workers: ReadonlyMap<string, readonly SharedKeyWorker[]>,
  { redisMs }: Scale,
): Promise<Table> {
  const limit = fixedWindow({ limit: REACHED, window: '1h' });
  const synced = { sync: '1s', slice: SLICE, instances: PROCESSES, onStoreError: 'deny' } as const;
  const rows: Cell[][] = [];
  for (const [name, four] of workers) {
    const round = { name: `all of ${name}`, callers: 64, ms: 10 * redisMs, limit: REACHED };
    const loads = await Promise.all(four.map((worker) => worker.ask('run', round)));
    const admitted = loads.reduce((sum, load) => sum + load.admitted, 0);
    const most = name === 'Sluice, synced' ? REACHED + boundOf(limit, '1m', synced) - boundOf(limit, '1m') : REACHED;
    rows.push([name, admitted.toLocaleString('en'), most.toLocaleString('en')]);
    if (admitted > most) throw new Error(`${name} admitted ${admitted} of ${most}`);
  }
  return {
    caption: `${PROCESSES} processes, 64 callers each, a limit of ${REACHED.toLocaleString('en')}`,
    head: ['', 'admitted', 'worst case'],
    rows,
  };
}
