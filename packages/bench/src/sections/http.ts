import type { Worker } from '../child-process.js';
import { HOSTS } from '../contenders/http/index.js';
import { VARIANTS, type Variant } from '../contenders/http/serve.js';
import { httpLoad } from '../http-load.js';
import { differences, interleaved, ratios, spreadOf } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { rate, type Table } from '../table.js';
import { startWorker } from '../worker.js';

/** What is measured of the clients: that all pass, or that all are refused. */
export const OUTCOMES = {
  allowed: { limit: 1_000_000_000, status: 200 },
  refused: { limit: 1, status: 429 },
} as const;

export type Outcome = keyof typeof OUTCOMES;

interface Round {
  readonly perSecond: number;
  readonly processorUs: number;
}

/** What limiting adds to a request, with everything around it: keys, header fields, refusals. */
export const http: Section = {
  title: 'HTTP: what limiting adds to a request',

  async *run(scale) {
    for (const host of HOSTS.keys()) {
      for (const outcome of Object.keys(OUTCOMES) as Outcome[]) yield await tableOf(host, outcome, scale);
    }
  },
};

async function tableOf(host: string, outcome: Outcome, scale: Scale): Promise<Table> {
  const results = await measured(host, outcome, scale);
  const bare = results.get('bare route') ?? [];
  return {
    caption: `${host}, ${scale.clients.toLocaleString('en-US')} clients, ${outcome}`,
    head: ['', 'requests', 'times those of the bare route', 'µs of the processor each', 'more than the bare route'],
    rows: [...results].map(([variant, rounds]) => [
      variant === 'peer' ? (HOSTS.get(host)?.peer as string) : variant,
      rate(spreadOf(rounds.map(perSecond)).median),
      variant === 'bare route' ? '' : ratios(rounds.map(perSecond), bare.map(perSecond)),
      spreadOf(rounds.map(processorUs)).median,
      variant === 'bare route' ? '' : differences(rounds.map(processorUs), bare.map(processorUs)),
    ]),
  };
}

const perSecond = (round: Round): number => round.perSecond;
const processorUs = (round: Round): number => round.processorUs;

async function measured(host: string, outcome: Outcome, scale: Scale): Promise<Map<string, Round[]>> {
  const { limit, status } = OUTCOMES[outcome];
  const workers = new Map<Variant, Worker<'http-server'>>();
  try {
    const subjects = new Map<string, () => Promise<Round>>();
    for (const variant of VARIANTS) {
      const options = { host, variant, quota: { limit, windowMs: 3_600_000 } };
      const worker = await startWorker(scale, 'http-server', options);
      workers.set(variant, worker);
      subjects.set(variant, await roundOf(worker, variant === 'bare route' ? 200 : status, scale));
    }
    return await interleaved(scale.rounds, subjects);
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.end()));
  }
}

/** After every client has been there, and what is compiled is warm. */
export async function roundOf(
  worker: Worker<'http-server'>,
  status: number,
  scale: Scale,
): Promise<() => Promise<Round>> {
  const { connections, clients, requests } = scale;
  const port = await worker.ask('port');
  let firstClient = 0;
  const load = { port, connections, clients };
  await httpLoad({ ...load, requests: Math.ceil(clients / connections) * connections, firstClient });
  return async () => {
    firstClient = (firstClient + requests) % clients;
    const beforeMs = await worker.ask('processorMs');
    const { perSecond, statuses } = await httpLoad({ ...load, requests, firstClient });
    const usedMs = (await worker.ask('processorMs')) - beforeMs;
    if (statuses.some((other) => other !== status)) throw new Error(`Instead of ${status}, answers were ${statuses}`);
    return { perSecond, processorUs: (1_000 * usedMs) / requests };
  };
}
