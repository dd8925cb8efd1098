import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RealServer, type ServerProcess } from '../program/real-server.js';
import { Dice } from './dice.js';
import { fuzzedCall } from './grpc-calls.js';
import { GrpcClient } from './grpc-client.js';
import { fuzzedRequest, type Ground } from './http-requests.js';
import { RawClient } from './raw-client.js';

/** Set for the proof. */
const isFull = process.env.SLUICE_FUZZ === 'full';

const REQUESTS = isFull ? 1_000_000 : 3_000;

const CLIENTS = 8;

/** One of so many requests is a call over gRPC. */
const CALLS = 10;

/** What the memory of the process may be at the end, as a multiple of what it was after a quarter of the requests. */
const MOST_GROWTH = 1.5;

const POLICIES = `version: 1
keys: { customer: code }
tiers:
  free: { minute: { limit: 10, window: 1m } }
  paid: { minute: { limit: 100, window: 1m } }
policies:
  api: { limits: [{ name: minute, limit: 100000, window: 1m }] }
  login: { limits: [{ name: attempts, limit: 5, window: 15m, blockDuration: 1m }, { name: day, limit: 50, window: 1d }] }
  plans: { key: customer, tier: { from: code, default: free }, limits: [{ name: minute, tier: true }] }
`;

const ADMIN_TOKEN = 'a-write-token-for-tests';

let server: RealServer;
let program: ServerProcess;
let ports: Awaited<ReturnType<ServerProcess['ready']>>;

beforeAll(async () => {
  server = await RealServer.build();
  program = server.serve(server.write('policies.yaml', POLICIES), [], { SLUICE_WRITE_TOKEN: ADMIN_TOKEN });
  ports = await program.ready();
});

afterAll(() => server?.remove());

async function decide(request: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`http://127.0.0.1:${ports.traffic}/v1/decisions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  });
}

async function reservations(count: number): Promise<readonly string[]> {
  const one = { policy: 'api', kind: 'reserve', request: { address: '192.0.2.77' }, expires: '1d' };
  const answers = (await (await decide(Array(count).fill(one))).json()) as { reservation: { token: string } }[];
  return answers.map(({ reservation }) => reservation.token);
}

/** The memory that the process holds, in megabytes. */
function memoryMb(): number {
  const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}

/** How often each status came. */
class Statuses {
  readonly counts = new Map<string, number>();
  /** The requests whose answers are the fault of the service. */
  readonly faults: string[] = [];

  count(status: string, isFault: boolean, sent: Buffer): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    if (isFault && this.faults.length < 10) this.faults.push(`${status}: ${sent.subarray(0, 2000).toString('latin1')}`);
  }
}

/** `UNKNOWN`, `INTERNAL` and `DATA_LOSS` blame the server; `UNAVAILABLE` would make clients come again. */
const FAULTS_OF_GRPC = ['2', '13', '14', '15'];

async function client(seed: number, count: number, ground: Ground, statuses: Statuses): Promise<void> {
  const dice = new Dice(seed);
  const clients = { traffic: new RawClient(ports.traffic), admin: new RawClient(ports.admin) };
  const grpc = new GrpcClient(ports.grpc);
  try {
    for (let i = 0; i < count; i += 1) {
      if (dice.oneIn(CALLS)) {
        const call = fuzzedCall(dice);
        const status = await grpc.call(call);
        statuses.count(`gRPC ${status}`, FAULTS_OF_GRPC.includes(status ?? ''), call.bytes);
        continue;
      }
      const { port, bytes, ends } = fuzzedRequest(dice, ground);
      const answer = await clients[port].exchange(bytes, ends);
      const isFault =
        answer !== undefined &&
        (answer.status >= 500 || !isWellFormed(answer) || (port === 'traffic' && !isBrief(answer)));
      statuses.count(answer ? String(answer.status) : 'none', isFault, bytes);
    }
  } finally {
    clients.traffic.close();
    clients.admin.close();
    grpc.close();
  }
}

/** Whether a problem is one. */
function isWellFormed({ status, type, body }: { status: number; type: string; body: string }): boolean {
  return type !== 'application/problem+json' || JSON.parse(body).status === status;
}

/** The largest problem, which has to fit into the buffer of a balancer. */
const MOST_BYTES = 800;

function isBrief({ type, body }: { type: string; body: string }): boolean {
  return type !== 'application/problem+json' || body.length <= MOST_BYTES;
}

describe('the service', () => {
  it(`answers ${REQUESTS.toLocaleString('en')} requests that nobody expects without a fault, and without growing`, async () => {
    const seed = Number(process.env.SLUICE_SEED ?? 20_261_122);
    const ground = { adminToken: ADMIN_TOKEN, tokens: await reservations(50) };
    const statuses = new Statuses();
    const round = (part: number, of: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: CLIENTS }, (_, i) =>
          client(seed + part * CLIENTS + i, Math.round((REQUESTS * of) / CLIENTS), ground, statuses),
        ),
      );
    await round(0, 0.25);
    const early = memoryMb();
    await round(1, 0.75);
    const late = memoryMb();

    expect(statuses.faults).toEqual([]);
    expect(program.child.exitCode).toBeNull();
    expect(program.log.filter(({ level }) => ['error', 'fatal'].includes(level))).toEqual([]);
    expect(late).toBeLessThan(early * MOST_GROWTH + 30);
    // It decides right afterwards, for somebody who was not asked about before.
    for (const [cost, allowed] of [
      [5, true],
      [1, false],
    ]) {
      const answer = await decide({ policy: 'login', request: { address: '192.0.2.250' }, cost });
      expect([answer.status, (await answer.json()) as object]).toMatchObject([200, { allowed, policy: 'login' }]);
    }
    const counts = [...statuses.counts].toSorted().map(([status, count]) => `${status} ${count}`);
    if (isFull)
      process.stdout.write(
        `fuzz: ${REQUESTS} requests, ${early} MB after a quarter, ${late} MB at the end; ${counts.join(', ')}\n`,
      );
    // Requests of all kinds came through, and were not all refused at the door.
    const usual = ['200', '204', '400', '401', '403', '404', '429', 'gRPC 0', 'gRPC 3', 'gRPC 5'];
    expect([...statuses.counts.keys()]).toEqual(expect.arrayContaining(usual));
  });
});
