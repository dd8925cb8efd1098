import type { Request } from 'autocannon';
import { startBareGrpc, startBareServer, startService } from '../contenders/service.js';
import { httpLoad } from '../http-load.js';
import type { MeasuredProgram } from '../measured-program.js';
import { RateLimitClient } from '../rate-limit-client.js';
import { warmRounds } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import { type Cell, rate, type Table } from '../table.js';

/** How many gRPC calls are under way. */
const CALLS_AT_ONCE = 64;

interface Round {
  readonly processorUs: number;
}

/** What a decision of the service costs the processor, by protocol. Clients are other processes. */
export const server: Section = {
  title: 'The decision service',

  async *run(scale) {
    yield await overHttp(scale);
    yield await overGrpc(scale);
  },
};

/** An address for each client. */
const addressOf = (client: number): string => `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;

/** What balancers send for a client. Everybody gets it, the bare server too. */
const forwarded =
  (path: string) =>
  (client: number): Request => ({
    path,
    headers: {
      'X-Real-IP': addressOf(client),
      'X-Forwarded-For': addressOf(client),
      'X-Forwarded-Method': 'GET',
      'X-Forwarded-Uri': '/search?q=limits',
      'X-Forwarded-Host': 'api.example.com',
    },
  });

/** The same, as a call that may be repeated. */
const repeatable = (path: string) => {
  const plain = forwarded(path);
  let calls = 0;
  return (client: number): Request => {
    calls += 1;
    const { headers, ...request } = plain(client);
    return { ...request, headers: { ...headers, 'Sluice-Request-Id': `${process.pid}-${calls}` } };
  };
};

const asked = (client: number): Request => ({
  path: '/v1/decisions',
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ policy: 'open', request: { address: addressOf(client) } }),
});

const BARE = 'a bare 204 of node:http';
const BARE_FIELDS = 'a bare 204 with the same fields';
const BARE_GRPC = 'a bare answer of grpc-js';

/** Of Node.js itself, and of a connection. */
const OWN_FIELDS = ['date', 'connection', 'keep-alive'];

/** The fields of an answer of the service. */
async function fieldsOf(
  port: number,
  { requestOf }: (typeof CALLS)[string],
): Promise<Readonly<Record<string, string>>> {
  const { path, headers } = requestOf(0);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: headers as Record<string, string> });
  return Object.fromEntries([...answer.headers].filter(([name]) => !OWN_FIELDS.includes(name)));
}

const CALLS: Readonly<Record<string, { readonly status: number; readonly requestOf: (client: number) => Request }>> = {
  'forward-auth, allowed': { status: 204, requestOf: forwarded('/v1/forward-auth/open') },
  'forward-auth, allowed, with an id': { status: 204, requestOf: repeatable('/v1/forward-auth/open') },
  'forward-auth, refused': { status: 429, requestOf: forwarded('/v1/forward-auth/shut') },
  'auth-request, allowed': { status: 204, requestOf: forwarded('/v1/auth-request/open') },
  'auth-request, refused': { status: 403, requestOf: forwarded('/v1/auth-request/shut') },
  'POST /v1/decisions': { status: 200, requestOf: asked },
};

/** Each kind of call has a service of its own: what one leaves behind, such as remembered replies, costs the others time. */
async function overHttp(scale: Scale): Promise<Table> {
  const started: { end(): Promise<void> }[] = [];
  try {
    const ofService = new Map<string, () => Promise<Round>>();
    let fields: Readonly<Record<string, string>> | undefined;
    for (const [name, call] of Object.entries(CALLS)) {
      const service = await startService();
      started.push(service);
      const port = service.ports.traffic;
      fields ??= await fieldsOf(port, call);
      ofService.set(name, () => httpRound(service.program, port, call, scale));
    }
    const bareRound = async (ofBare: Readonly<Record<string, string>>): Promise<() => Promise<Round>> => {
      const { program, port } = await startBareServer(ofBare);
      started.push(program);
      return () => httpRound(program, port, { status: 204, requestOf: forwarded('/') }, scale);
    };
    const subjects = new Map([[BARE, await bareRound({})], [BARE_FIELDS, await bareRound(fields ?? {})], ...ofService]);
    const baselines = { 'times the bare answer': BARE, 'times that with the same fields': BARE_FIELDS };
    return await tableOf('HTTP over memory', scale, subjects, baselines);
  } finally {
    await Promise.all(started.map((one) => one.end()));
  }
}

async function overGrpc(scale: Scale): Promise<Table> {
  const service = await startService();
  const client = new RateLimitClient(service.ports.grpc);
  const bare = await startBareGrpc(await client.ask('open', addressOf(0)));
  const bareClient = new RateLimitClient(bare.port);
  try {
    const subjects = new Map<string, () => Promise<Round>>([
      [BARE_GRPC, () => grpcRound(bare.program, bareClient, 'open', scale)],
      ['gRPC, allowed', () => grpcRound(service.program, client, 'open', scale)],
      ['gRPC, refused', () => grpcRound(service.program, client, 'shut', scale)],
    ]);
    return await tableOf('gRPC over memory', scale, subjects, { 'times the bare answer': BARE_GRPC });
  } finally {
    for (const one of [client, bareClient]) one.close();
    await Promise.all([service.end(), bare.program.end()]);
  }
}

async function httpRound(
  program: MeasuredProgram,
  port: number,
  { status, requestOf }: (typeof CALLS)[string],
  { connections, requests, clients }: Scale,
): Promise<Round> {
  const beforeMs = await program.processorMs();
  const { statuses } = await httpLoad({ port, connections, requests, clients, firstClient: 0, requestOf });
  const usedMs = (await program.processorMs()) - beforeMs;
  if (statuses.some((other) => other !== status)) throw new Error(`Instead of ${status}, answers were ${statuses}`);
  return { processorUs: (1000 * usedMs) / requests };
}

async function grpcRound(
  program: MeasuredProgram,
  client: RateLimitClient,
  policy: 'open' | 'shut',
  { requests, clients }: Scale,
): Promise<Round> {
  const code = policy === 'open' ? 'OK' : 'OVER_LIMIT';
  const beforeMs = await program.processorMs();
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (calls < requests) {
      calls += 1;
      const { overallCode } = await client.ask(policy, addressOf(calls % clients));
      if (overallCode !== code) throw new Error(`Instead of ${code}, an answer was ${overallCode}`);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller));
  return { processorUs: (1000 * ((await program.processorMs()) - beforeMs)) / calls };
}

const processorUs = (round: Round): number => round.processorUs;

/** @param baselines - what all others are compared with, by the head of the column */
async function tableOf(
  caption: string,
  scale: Scale,
  subjects: ReadonlyMap<string, () => Promise<Round>>,
  baselines: Readonly<Record<string, string>>,
): Promise<Table> {
  const results = await warmRounds(scale.warmUpMs.http, scale.rounds, subjects);
  const of = (name: string): number[] => (results.get(name) ?? []).map(processorUs);
  return {
    caption,
    head: ['', 'µs of the processor each', 'of one core', ...Object.keys(baselines)],
    rows: [...results.keys()].map((name) => {
      const costs = spreadOf(of(name));
      const times = Object.values(baselines).map((other): Cell => (name === other ? '' : ratios(of(name), of(other))));
      return [name, costs, rate(1e6 / costs.median), ...times];
    }),
  };
}
