import {
  createLimiter,
  type Decision,
  type Limiter,
  MemoryStore,
  policyCounters,
  slidingWindow,
  storeCounters,
  subscribe,
} from '@sluice/core';
import { freshKey } from '../fresh-key.js';
import { processorMs } from '../processor-time.js';
import { randomOf } from '../random.js';
import { warmRounds } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import type { Table } from '../table.js';
import { watchedRequests } from './watched-requests.js';

const UNREACHED = 1_000_000_000;
const HOUR_MS = 3_600_000;

/** A round has at least this many decisions for each one that `Scale.allocations` says: a round of processor time. */
const PER_ROUND = 5;

/** So often are counters read, far more often than anybody scrapes. */
const DECISIONS_PER_READING = 1000;

type Decide = (key: string) => Decision;

/** What watching costs a decision, and what it costs that limits are chosen for each customer. */
export const operations: Section = {
  title: 'Operations: counters, listeners and tiers',

  async *run(scale) {
    yield await watched(scale);
    yield await watchedRequests(scale);
    yield await tiers(scale, 1, 'one of them');
    yield await tiers(scale, 1, 'one as often as another');
    yield await tiers(scale, 2, 'one as often as another');
  },
};

async function watched(scale: Scale): Promise<Table> {
  const limiter = createLimiter({ name: 'hot', limit: UNREACHED, window: HOUR_MS });
  const hot = freshKey(0);
  const keys = Array.from({ length: PER_ROUND * scale.allocations }, () => hot);
  const decide: Decide = (key) => limiter.consume(key);
  const listening = (listener: Parameters<typeof subscribe<'sluice:decision'>>[1]) => () => {
    const stop = subscribe('sluice:decision', listener);
    const cost = costOf(keys, decide);
    stop();
    return cost;
  };
  let read = 0;
  const costs = await measured(scale, {
    'nobody reads': () => costOf(keys, decide),
    'counters are read after each 1,000 decisions': () =>
      costOf(keys, (key) => {
        read += 1;
        if (read % DECISIONS_PER_READING === 0) keep(policyCounters(), storeCounters());
        return limiter.consume(key);
      }),
    'a listener that does not read keys': listening(({ decision }) => keep(decision.allowed)),
    'a listener that reads keys': listening(({ keys: hashed }) => keep(hashed)),
  });
  return tableOf('One hot key, allowed', costs);
}

async function tiers(scale: Scale, count: number, asking: 'one of them' | 'one as often as another'): Promise<Table> {
  const random = randomOf(5);
  const customers = Array.from({ length: scale.uniformKeys }, (_, i) => freshKey(i));
  const plans = [1, 2, 3].map((plan) =>
    Array.from({ length: count }, (_, i) => slidingWindow({ limit: plan * UNREACHED, window: (i + 1) * HOUR_MS })),
  );
  const planOf = new Map(customers.map((customer, i) => [customer, plans[i % plans.length] as (typeof plans)[0]]));
  const found = (customer: string, i: number) => (planOf.get(customer) as (typeof plans)[0])[i] as (typeof plans)[0][0];
  const limiterBy = (
    limitOf: (i: number) => Parameters<typeof createLimiter<string>>[0]['limit'],
  ): Limiter<string, false> =>
    createLimiter<string, false>({
      limits: Array.from({ length: count }, (_, i) => ({ name: `limit ${i}`, limit: limitOf(i) })) as never,
      store: new MemoryStore({ maxKeys: 3 * scale.uniformKeys }),
    });
  const fixed = limiterBy((i) => plans[1]?.[i] as never);
  const looking = limiterBy((i) => plans[1]?.[i] as never);
  const chosen = limiterBy((i) => ((customer: string) => found(customer, i)) as never);
  for (const limiter of [fixed, looking, chosen]) for (const customer of customers) limiter.consume(customer);
  const keys = Array.from(
    { length: PER_ROUND * scale.allocations },
    () => customers[asking === 'one of them' ? 0 : Math.floor(random() * customers.length)] as string,
  );
  const lookUp = (customer: string): void => {
    for (let i = 0; i < count; i += 1) keep(found(customer, i));
  };
  const costs = await measured(scale, {
    'the same for all': () => costOf(keys, (key) => fixed.consume(key)),
    'the same for all, after the look-up': () =>
      costOf(keys, (key) => {
        lookUp(key);
        return looking.consume(key);
      }),
    'chosen by the look-up': () => costOf(keys, (key) => chosen.consume(key)),
  });
  const amount = scale.uniformKeys.toLocaleString('en-US');
  return tableOf(`${count === 1 ? 'One limit' : 'Two limits'}, ${amount} customers in a Map, ${asking}`, costs);
}

/** The last values, so that the compiler does not leave out what nobody uses. */
let kept: unknown;

function keep(...values: readonly unknown[]): void {
  kept = values.length > 0 ? values[0] : kept;
}

/** Nanoseconds of processor time for a decision. */
function costOf(keys: readonly string[], decide: Decide): number {
  const beforeMs = processorMs();
  for (const key of keys) kept = decide(key);
  return ((processorMs() - beforeMs) * 1e6) / keys.length;
}

async function measured(
  scale: Scale,
  subjects: Readonly<Record<string, () => number>>,
): Promise<Map<string, number[]>> {
  return warmRounds(scale.warmUpMs.inProcess, scale.rounds, new Map(Object.entries(subjects)));
}

/** The first row is the baseline. */
function tableOf(caption: string, costs: ReadonlyMap<string, readonly number[]>): Table {
  const [first = []] = costs.values();
  return {
    caption,
    head: ['', 'ns of the processor each', 'times the first'],
    rows: [...costs].map(([name, ns]) => [name, spreadOf(ns), ratios(ns, first)]),
  };
}
