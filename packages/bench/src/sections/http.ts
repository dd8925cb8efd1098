import type { Worker } from '../child-process.js';
import { HOSTS, variantsOn } from '../contenders/http/index.js';
import { OUTCOMES, type Outcome } from '../contenders/http/outcomes.js';
import { fieldsOf, type Identity } from '../contenders/http/serve.js';
import { twoCores } from '../cores.js';
import { httpLoad } from '../http-load.js';
import { http2Load } from '../http2-load.js';
import { warmRounds } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { differences, type Spread, spreadOf } from '../spread.js';
import { rate, type Table } from '../table.js';
import { startWorker } from '../worker.js';

interface Round {
  readonly perSecond: number;
  readonly processorUs: number;
}

/** How clients are told apart is no different for those who are refused. */
const KINDS = [
  { identity: 'address', outcome: 'allowed' },
  { identity: 'address', outcome: 'refused' },
  { identity: 'header', outcome: 'allowed' },
] as const;

/** A second process of Sluice, which shows how far two figures of the same code lie apart. */
export const ONCE_MORE = 'Sluice, once more';

const [BARE, MAP] = ['bare route', 'bare Map counter'];

/** What limiting adds to a request, with everything around it: keys, header fields, refusals. */
export const http: Section = {
  title: 'HTTP: what limiting adds to a request',

  async *run(scale) {
    for (const { outcome, identity } of KINDS)
      for (const host of HOSTS.keys()) yield await tableOf({ host, outcome, identity }, scale);
  },
};

/** What all variants are measured in. */
export interface Trial {
  readonly host: string;
  readonly outcome: Outcome;
  readonly identity: Identity;
}

export const TOLD_APART: Readonly<Record<Identity, string>> = {
  address: 'by address behind a trusted proxy',
  header: 'by a header field',
};

async function tableOf(trial: Trial, scale: Scale): Promise<Table> {
  const { host, outcome, identity } = trial;
  const results = await measured(trial, scale);
  const us = (name: string): number[] => (results.get(name) ?? []).map(({ processorUs }) => processorUs);
  const more = (name: string): Spread => differences(us(name), us(BARE));
  return {
    caption: `${host}, ${scale.clients.toLocaleString('en-US')} clients ${TOLD_APART[identity]}, ${outcome}`,
    head: ['', 'requests', 'µs of the processor each', 'more than the bare route', "times a Map counter's"],
    rows: [...results].map(([name, rounds]) => [
      name,
      rate(spreadOf(rounds.map(({ perSecond }) => perSecond)).median),
      spreadOf(us(name)).median,
      name === BARE ? '' : more(name),
      name === BARE ? '' : more(name).median / more(MAP).median,
    ]),
  };
}

async function measured({ host, outcome, identity }: Trial, scale: Scale): Promise<Map<string, Round[]>> {
  const cores = await twoCores();
  const { limit, status } = OUTCOMES[outcome];
  const workers: Worker<'http-server'>[] = [];
  try {
    const subjects = new Map<string, () => Promise<Round>>();
    for (const [name, variant] of [...variantsOn(host), [ONCE_MORE, 'Sluice'] as const]) {
      const options = { host, variant, identity, quota: { limit, windowMs: 3_600_000 } };
      const worker = await startWorker(scale, 'http-server', options, cores && { core: cores.server });
      workers.push(worker);
      subjects.set(
        name,
        await roundOf(worker, name === BARE ? 200 : status, { ...scale, ...scale.http }, { host, identity }),
      );
    }
    return await warmRounds(scale.warmUpMs.http, scale.http.rounds, subjects);
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

/** After every client has been there. */
export async function roundOf(
  worker: Worker<'http-server'>,
  status: number,
  scale: Pick<Scale, 'connections' | 'clients' | 'requests'>,
  { host, identity }: Pick<Trial, 'host' | 'identity'>,
): Promise<() => Promise<Round>> {
  const { connections, clients, requests } = scale;
  const port = await worker.ask('port');
  let firstClient = 0;
  const requestOf = (client: number) => ({ headers: fieldsOf(identity, client) });
  const load = { port, connections, clients, requestOf };
  const ask = HOSTS.get(host)?.isHttp2 ? http2Load : httpLoad;
  await ask({ ...load, requests: Math.ceil(clients / connections) * connections, firstClient });
  return async () => {
    firstClient = (firstClient + requests) % clients;
    const beforeMs = await worker.ask('processorMs');
    const { perSecond, statuses } = await ask({ ...load, requests, firstClient });
    const usedMs = (await worker.ask('processorMs')) - beforeMs;
    if (statuses.some((other) => other !== status)) throw new Error(`Instead of ${status}, answers were ${statuses}`);
    return { perSecond, processorUs: (1_000 * usedMs) / requests };
  };
}
