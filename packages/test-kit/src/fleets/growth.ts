import { cpus } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLimiter, type Limiter } from '@sluice/core';
import { seededRandom } from '../seeded-random.js';
import { DEPLOYMENTS, type Deployment, INSTANCES, KEYS, type Keys, type Work } from './deployments.js';

// What each store takes of its servers, by how many requests come: `npm run growth -w @sluice/test-kit`. With
// `-- --per-second 5000`, so many come.

/** Requests a second of all instances together. */
const RATES = ['1000', '30000'];

const SETTLE_MS = 3_000;
const MEASURED_MS = 5_000;

/** The most that is asked before the event loop turns, so that replies are read. */
const ASKED_IN_A_TURN = 50;

/** How many requests come, and about how many keys. */
interface Load {
  readonly perSecond: number;
  readonly keys: number;
}

/** Asks for so long, whether earlier requests have their answers or not. Returns how long each waited. */
async function ask(
  limiters: readonly Limiter<string, true>[],
  { perSecond, keys }: Load,
  ms: number,
): Promise<readonly number[]> {
  const random = seededRandom(1);
  const waitsMs: number[] = [];
  const open = new Set<Promise<void>>();
  const askOnce = async (): Promise<void> => {
    const limiter = limiters[Math.floor(random() * limiters.length)] as Limiter<string, true>;
    const askedMs = performance.now();
    const { source } = await limiter.consume(`key-${Math.floor(random() * keys)}`);
    if (source !== 'store') throw new Error(`Not the store has decided, but ${source}`);
    waitsMs.push(performance.now() - askedMs);
  };
  const startMs = performance.now();
  for (let sent = 0, tookMs = 0; tookMs < ms; tookMs = performance.now() - startMs) {
    const due = Math.min(Math.floor((tookMs * perSecond) / 1000), sent + ASKED_IN_A_TURN);
    for (; sent < due; sent += 1) {
      const asking: Promise<void> = askOnce().finally(() => open.delete(asking));
      open.add(asking);
    }
    await turn();
  }
  await Promise.all(open);
  return waitsMs;
}

async function measure(deployment: Deployment, name: Keys, perSecond: number): Promise<void> {
  const running = await deployment.start();
  const instances = Array.from({ length: INSTANCES }, running.storeOf);
  const limiters = instances.map(({ store }) =>
    createLimiter<string, true>({ name: 'growth', limit: 1_000_000_000, window: '1m', store }),
  );
  const load: Load = { perSecond, keys: KEYS[name] };
  try {
    await ask(limiters, load, SETTLE_MS);
    const before = await running.workOf();
    const waitsMs = await ask(limiters, load, MEASURED_MS);
    const after = await running.workOf();
    console.log(rowOf([deployment.name, name, ...figuresOf(waitsMs, before, after)]));
  } finally {
    for (const { store, end } of instances) {
      await store.close();
      end();
    }
    await running.stop();
  }
}

/** The figures of the decisions that were measured, by the columns of `HEAD`. */
function figuresOf(waitsMs: readonly number[], before: Work, after: Work): readonly string[] {
  const decisions = waitsMs.length;
  const sorted = waitsMs.toSorted((one, other) => one - other);
  const at = (part: number): string => figure(sorted[Math.floor((decisions - 1) * part)] as number);
  const did = (what: keyof Work): number => (after[what] ?? Number.NaN) - (before[what] ?? Number.NaN);
  return [
    figure((1000 * decisions) / MEASURED_MS),
    figure((1000 * did('processorMs')) / decisions),
    figure(did('processorMs') / MEASURED_MS),
    figure((1000 * did('calls')) / MEASURED_MS),
    figure(did('bytes') / decisions),
    `${at(0.5)}, ${at(0.99)}`,
  ];
}

function figure(value: number): string {
  if (Number.isNaN(value)) return 'not counted';
  return value < 10 ? value.toPrecision(2) : Math.round(value).toLocaleString('en-US');
}

const HEAD = [
  'Store',
  'Keys',
  'decisions a second',
  "µs of the servers' processor for one",
  'cores of servers',
  'calls a second',
  'bytes for one',
  'p50, p99 in ms',
];

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

async function main(): Promise<void> {
  console.log(
    `${new Date().toISOString()}, Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${INSTANCES} instances\n`,
  );
  console.log(`${rowOf(HEAD)}\n${rowOf(HEAD.map(() => '---'))}`);
  const { values } = parseArgs({ options: { 'per-second': { type: 'string', multiple: true, default: RATES } } });
  for (const perSecond of values['per-second'].map(Number)) {
    for (const deployment of DEPLOYMENTS) {
      if (perSecond > (deployment.mostPerSecond ?? Number.POSITIVE_INFINITY)) continue;
      for (const name of deployment.keys) await measure(deployment, name, perSecond);
    }
  }
}

main();
