import { createLimiter, type Limit, type Limiter, MemoryStore, slidingWindow } from '@sluice/core';
import { costOf, costTable, decisionsOf, keep } from '../decision-costs.js';
import { freshKey } from '../fresh-key.js';
import { randomOf } from '../random.js';
import type { Scale } from '../scale.js';
import type { Table } from '../table.js';

const UNREACHED = 1_000_000_000;
const PLANS = 3;

interface Tiers {
  /** How many limits a decision has. */
  readonly limits: 1 | 2;
  /** Which customers ask. */
  readonly asking: 'one of them' | 'one as often as another';
}

/** What it costs that a function chooses the limits of each customer out of a Map. */
export function tiers(scale: Scale, { limits, asking }: Tiers): Promise<Table> {
  const customers = Array.from({ length: scale.uniformKeys }, (_, i) => freshKey(i));
  const plans = Array.from({ length: PLANS }, (_, i) => planOf((i + 1) * UNREACHED, limits));
  const plansOf = new Map(customers.map((customer, i) => [customer, plans[i % PLANS] as readonly Limit[]]));
  const look = (customer: string, i: number): Limit => plansOf.get(customer)?.[i] as Limit;

  const same = (i: number): Limit => plans[1]?.[i] as Limit;
  const limiters = {
    fixed: limiterOf(scale, limits, same),
    looking: limiterOf(scale, limits, same),
    chosen: limiterOf(scale, limits, (i) => (customer) => look(customer, i)),
  };
  for (const limiter of Object.values(limiters)) for (const customer of customers) limiter.consume(customer);

  const random = randomOf(5);
  const one = customers[0] as string;
  const keys = Array.from({ length: decisionsOf(scale) }, () =>
    asking === 'one of them' ? one : (customers[Math.floor(random() * customers.length)] as string),
  );
  const subjects = {
    'the same for all': () => costOf(keys, (key) => limiters.fixed.consume(key)),
    'the same for all, after the look-up': () =>
      costOf(keys, (key) => {
        for (let i = 0; i < limits; i += 1) keep(look(key, i));
        return limiters.looking.consume(key);
      }),
    'chosen by the look-up': () => costOf(keys, (key) => limiters.chosen.consume(key)),
  };
  const amount = scale.uniformKeys.toLocaleString('en-US');
  return costTable(
    `${limits === 1 ? 'One limit' : 'Two limits'}, ${amount} customers in a Map, ${asking}`,
    subjects,
    scale,
  );
}

/** So many limits, of windows of one hour, two hours, … */
function planOf(limit: number, count: number): readonly Limit[] {
  return Array.from({ length: count }, (_, i) => slidingWindow({ limit, window: `${i + 1}h` }));
}

function limiterOf(
  { uniformKeys }: Scale,
  count: number,
  limitOf: (i: number) => Limit | ((customer: string) => Limit),
): Limiter<string, false> {
  return createLimiter<string, false>({
    limits: Array.from({ length: count }, (_, i) => ({ name: `limit ${i}`, limit: limitOf(i) })),
    store: new MemoryStore({ maxKeys: 3 * uniformKeys }),
  });
}
