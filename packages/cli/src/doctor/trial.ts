import { type Limit, type LimitCheck, type Store, slidingWindow } from '@sluice/core';
import { stopwatchMs } from '@sluice/core/values';
import type { Diagnosis } from './diagnosis.js';

/** What is asked at once of a limit that admits fewer. */
const [LIMIT, ASKED] = [3, 5] as const;

/** How many decisions are measured, unless they take longer than a person waits. */
const [DECISIONS, LONGEST_MS] = [100, 2000] as const;

/** So many come before the first that is measured: they connect, send scripts and compile. */
const WARM_UP = 5;

/** What a store is tried with. */
interface Trial {
  readonly diagnosis: Diagnosis;
  readonly store: Store<true>;
  /** The policy whose keys are spent and removed. */
  readonly policy: string;
  /** Where the decisions count: `in the table sluice`. */
  readonly place: string;
  /** The default `timeout` of the store. */
  readonly deadlineMs: number;
  /** The least that can be asked of this store, to compare with. */
  readonly bare?: { readonly name: string; readonly ask: () => Promise<unknown> };
}

/** Decides a handful, sees whether they are exact, measures how long decisions take, and removes what they have left. */
export async function tryStore(trial: Trial): Promise<void> {
  const { store, policy } = trial;
  const exact = checkOf(policy, 'exact', slidingWindow({ limit: LIMIT, window: '1m' }));
  const timed = checkOf(policy, 'timed', slidingWindow({ limit: 10 * DECISIONS, window: '1m' }));
  try {
    await tryExactness(trial, exact);
    await measure(trial, timed);
  } finally {
    // If this fails, they end by themselves within minutes.
    await store.reset([exact, timed]).catch(() => {});
  }
}

function checkOf(policy: string, name: string, limit: Limit): LimitCheck {
  return { policy, name, key: 'doctor', limit, cost: 1 };
}

async function tryExactness({ diagnosis, store, place }: Trial, check: LimitCheck): Promise<void> {
  const all = await Promise.all(Array.from({ length: ASKED }, () => store.consume({ checks: [check] })));
  const admitted = all.filter(({ allowed }) => allowed).length;
  const text = `${ASKED} decisions at once ${place}, with a limit of ${LIMIT}: ${admitted} admitted, ${ASKED - admitted} refused.`;
  if (admitted === LIMIT) diagnosis.ok('decisions', `${text} They are removed again.`);
  else
    diagnosis.fail(
      'decisions',
      text,
      'Connect to the database itself, past proxies that change or repeat what is sent.',
    );
}

async function measure({ diagnosis, store, bare, deadlineMs }: Trial, check: LimitCheck): Promise<void> {
  const decisions = await timesOf(() => store.consume({ checks: [check] }));
  const bares = bare && (await timesOf(bare.ask));
  const [p50Ms, p99Ms] = [quantile(decisions, 0.5), quantile(decisions, 0.99)];
  const figures = {
    decisions: decisions.length,
    p50Ms,
    p99Ms,
    ...(bares && { bareP50Ms: quantile(bares, 0.5), bareP99Ms: quantile(bares, 0.99) }),
  };
  const compared = bares
    ? `; ${bare.name} alone: p50 ${msText(quantile(bares, 0.5))}, p99 ${msText(quantile(bares, 0.99))}`
    : '';
  const text = `${decisions.length} decisions in turn: p50 ${msText(p50Ms)}, p99 ${msText(p99Ms)}${compared}.`;
  const remedy = `Run the store nearer to your application, or set its timeout to ${10 * Math.ceil(p99Ms / 5)} ms.`;
  if (p50Ms > deadlineMs)
    diagnosis.fail(
      'latency',
      `${text} Most take longer than the default timeout of ${deadlineMs} ms.`,
      remedy,
      figures,
    );
  else if (2 * p99Ms > deadlineMs)
    diagnosis.warn('latency', `${text} The default timeout of ${deadlineMs} ms is short for that.`, remedy, figures);
  else diagnosis.ok('latency', `${text} The default timeout of ${deadlineMs} ms is ample.`, figures);
}

/** Asks again and again, one after the other, and returns the milliseconds that each took, the shortest first. */
async function timesOf(ask: () => unknown): Promise<number[]> {
  for (let i = 0; i < WARM_UP; i += 1) await ask();
  const times: number[] = [];
  const startMs = stopwatchMs();
  while (times.length < DECISIONS && stopwatchMs() - startMs < LONGEST_MS) {
    const askedMs = stopwatchMs();
    await ask();
    times.push(stopwatchMs() - askedMs);
  }
  return times.sort((a, b) => a - b);
}

function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return Math.round(value * 1000) / 1000;
}

/** Returns milliseconds with about two digits that count. */
export function msText(ms: number): string {
  return `${ms.toFixed(ms < 1 ? 2 : ms < 10 ? 1 : 0)} ms`;
}
