import type { Ask, Check, Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { Redis } from 'ioredis';
import { RedisStore } from '../../src/index.js';
import { FORMS, type Form } from '../forms.js';

/** What a racing process is told to do. */
export type Heat =
  /** Asks for the check so many times at once. */
  | { readonly kind: 'ask'; readonly check: Check; readonly count: number }
  /** So many times at once: takes a slot where one is free, counts those who hold one, and frees it. */
  | { readonly kind: 'hold'; readonly check: Check; readonly count: number };

/** What came of it. */
export interface Finish {
  readonly admitted: number;
  /** The most holders that were seen at once, in all processes. */
  readonly most: number;
}

const [port, form] = process.argv.slice(2) as [port: string, form?: Form];
const client = new Redis(Number(port));
// Time stands still, so that no window can end while the race is on.
const clock = new ManualClock();
let stores = 0;
const newStore = (): Store<true> => {
  stores += 1;
  return new RedisStore({ client, clock, prefix: `${stores}:`, timeout: '10s' });
};
const store = form ? FORMS[form](newStore) : newStore();
let ids = 0;

async function ask(own: Omit<Ask, 'checks'>, check: Check): Promise<boolean> {
  const { allowed } = await store.consume({ checks: [check], ...own });
  return allowed;
}

async function hold(check: Check): Promise<Finish> {
  const id = newId();
  if (!(await ask({ id }, check))) return { admitted: 0, most: 0 };
  const most = await client.incr('holders');
  await client.decr('holders');
  await store.adjust({ checks: [{ ...check, cost: -1 }], id });
  return { admitted: 1, most };
}

const isSlot = ({ limit }: Check): boolean => limit.algorithm === 'concurrency';

function newId(): string {
  ids += 1;
  return `${process.pid}-${ids}`;
}

async function run({ kind, check, count }: Heat): Promise<Finish> {
  const one = async (): Promise<Finish> =>
    kind === 'hold'
      ? hold(check)
      : { admitted: Number(await ask(isSlot(check) ? { id: newId() } : {}, check)), most: 0 };
  const finishes = await Promise.all(Array.from({ length: count }, one));
  return {
    admitted: finishes.reduce((sum, { admitted }) => sum + admitted, 0),
    most: Math.max(...finishes.map(({ most }) => most)),
  };
}

process.on('message', async (heat: Heat) => process.send?.(await run(heat)));
process.on('disconnect', () => client.disconnect());
client.once('ready', () => process.send?.('ready'));
