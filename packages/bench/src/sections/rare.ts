import { setTimeout } from 'node:timers/promises';
import { type Caller, deciding, serving } from '../callers.js';
import { variantsOn } from '../contenders/http/index.js';
import type { Variant } from '../contenders/http/serve.js';
import { BARE_MAP, FEW_MEMORY_CONTENDERS } from '../contenders/memory/index.js';
import { BARE_INCR, BARE_SCRIPT, REDIS_CONTENDERS } from '../contenders/redis/index.js';
import { type Percentiles, percentilesOf } from '../percentiles.js';
import { RedisServer } from '../redis-server.js';
import { interleaved } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import type { Table } from '../table.js';

/** The calls of a process that has just started. */
export const FIRST_CALLS = 100;
/** Between two calls of the same contender. */
export const PAUSE_MS = 100;
/** Before rare calls are measured, so that the first calls are not among them. */
const WARM_CALLS = 20;

/** What is asked by rare calls. */
interface Kind {
  readonly name: string;
  /** What all others are compared with. */
  readonly baseline: string;
  readonly contenders: readonly string[];
  start(contender: string): Promise<Caller>;
}

/** What services see whose calls are rare, and those that have just started: the compiler and the caches have not got ready. */
export const rare: Section = {
  title: 'The first calls of a process, and rare calls',

  async *run(scale) {
    const server = await RedisServer.start();
    try {
      for (const kind of kindsOf(scale, server.port)) {
        yield await firstCalls(kind, scale);
        yield await rareCalls(kind, scale);
      }
    } finally {
      await server.stop();
    }
  },
};

function kindsOf(scale: Scale, port: number): Kind[] {
  return [
    {
      name: 'Over Redis',
      baseline: BARE_SCRIPT,
      contenders: [...REDIS_CONTENDERS.keys()].filter((name) => name !== BARE_INCR),
      start: (contender) => deciding(scale, contender, port),
    },
    {
      name: 'In process',
      baseline: BARE_MAP,
      contenders: FEW_MEMORY_CONTENDERS,
      start: (contender) => deciding(scale, contender),
    },
    ...['Express', 'Fastify'].map((host): Kind => {
      const variants = variantsOn(host);
      return {
        name: host,
        baseline: 'bare route',
        contenders: [...variants.keys()],
        start: (contender) => serving(scale, host, variants.get(contender) as Variant),
      };
    }),
  ];
}

interface FirstCalls extends Percentiles {
  readonly first: number;
}

async function firstCalls(kind: Kind, scale: Scale): Promise<Table> {
  const subjects = new Map(kind.contenders.map((name) => [name, () => firstCallsOf(() => kind.start(name))]));
  const results = await interleaved(scale.freshProcesses, subjects);
  const of = (name: string, what: keyof FirstCalls): number[] => (results.get(name) ?? []).map((calls) => calls[what]);
  return {
    caption: `${kind.name}: the first ${FIRST_CALLS} calls of a process; median of ${scale.freshProcesses} processes`,
    head: ['', 'p50, µs', `p50, ${timesThe(kind)}`, 'p99, µs', 'p99, times', 'the first, µs', 'the first, times'],
    rows: kind.contenders.map((name) => [
      name,
      ...(['p50', 'p99', 'first'] as const).flatMap((what) => [
        spreadOf(of(name, what)).median,
        ratios(of(name, what), of(kind.baseline, what)),
      ]),
    ]),
  };
}

/** Of a process that is started for that. Its p99 is the second slowest call. */
export async function firstCallsOf(start: () => Promise<Caller>): Promise<FirstCalls> {
  const caller = await start();
  try {
    const tookUs = await caller.calls(FIRST_CALLS);
    await caller.prove();
    return { ...percentilesOf(tookUs), first: tookUs[0] ?? Number.NaN };
  } finally {
    await caller.end();
  }
}

async function rareCalls(kind: Kind, scale: Scale): Promise<Table> {
  const callers = new Map<string, Caller>();
  try {
    for (const name of kind.contenders) callers.set(name, await kind.start(name));
    const tookUs = await rareCallsOf(callers, scale.rareCalls);
    const results = new Map([...tookUs].map(([name, us]) => [name, percentilesOf(us)]));
    const { p50, p99 } = results.get(kind.baseline) as Percentiles;
    return {
      caption: `${kind.name}: one call in ${PAUSE_MS} ms; of ${scale.rareCalls} calls`,
      head: ['', 'p50, µs', `p50, ${timesThe(kind)}`, 'p99, µs', 'p99, times'],
      rows: [...results].map(([name, own]) => [name, own.p50, own.p50 / p50, own.p99, own.p99 / p99]),
    };
  } finally {
    await Promise.all([...callers.values()].map((caller) => caller.end()));
  }
}

/** One call of each in turn, evenly spread over the pause, so that no call meets another one. */
export async function rareCallsOf(
  callers: ReadonlyMap<string, Caller>,
  count: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  for (const caller of callers.values()) await caller.calls(WARM_CALLS);
  const tookUs = new Map<string, number[]>([...callers.keys()].map((name) => [name, []]));
  for (let call = 0; call < count; call += 1) {
    for (const [name, caller] of callers) {
      await setTimeout(PAUSE_MS / callers.size);
      tookUs.get(name)?.push(...(await caller.calls(1)));
    }
  }
  return tookUs;
}

const timesThe = ({ baseline }: Kind): string => `times the ${baseline}`;
