import type { Ask, Check } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { Pool } from 'pg';
import type { Finish, Heat } from '../../../redis/test/race/racer.js';
import { PostgresStore } from '../../src/index.js';

const [port] = process.argv.slice(2) as [port: string];
const client = new Pool({ host: '127.0.0.1', port: Number(port), user: 'sluice', database: 'postgres', max: 4 });
client.on('error', () => {});
// Time stands still, so that no window can end while the race is on.
const store = new PostgresStore({ client, clock: new ManualClock(), timeout: '10s', attempts: 1000 });
let ids = 0;

async function ask(own: Omit<Ask, 'checks'>, checks: readonly Check[]): Promise<boolean> {
  const { allowed } = await store.consume({ checks, ...own });
  return allowed;
}

async function hold(check: Check): Promise<Finish> {
  const id = newId();
  if (!(await ask({ id }, [check]))) return { admitted: 0, most: 0 };
  const { rows } = await client.query('UPDATE holders SET held = held + 1 RETURNING held');
  await client.query('UPDATE holders SET held = held - 1');
  await store.adjust({ checks: [{ ...check, cost: -1 }], id });
  return { admitted: 1, most: Number(rows[0]?.held) };
}

const isSlot = ({ limit }: Check): boolean => limit.algorithm === 'concurrency';

/** A check of each process beside that of all, so that their questions have some keys in common and some not. */
const checksOf = (check: Check): readonly Check[] =>
  check.name.startsWith('together') ? [check, { ...check, name: 'own', key: `${process.pid}` }] : [check];

function newId(): string {
  ids += 1;
  return `${process.pid}-${ids}`;
}

async function run({ kind, check, count }: Heat): Promise<Finish> {
  const one = async (): Promise<Finish> =>
    kind === 'hold'
      ? hold(check)
      : { admitted: Number(await ask(isSlot(check) ? { id: newId() } : {}, checksOf(check))), most: 0 };
  const finishes = await Promise.all(Array.from({ length: count }, one));
  return {
    admitted: finishes.reduce((sum, { admitted }) => sum + admitted, 0),
    most: Math.max(...finishes.map(({ most }) => most)),
  };
}

process.on('message', async (heat: Heat) => process.send?.(await run(heat)));
process.on('disconnect', () => client.end());
client.query('SELECT 1').then(() => process.send?.('ready'));
