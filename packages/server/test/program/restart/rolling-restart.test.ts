import process from 'node:process';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { until } from '@sluice/test-kit/until';
import { RealServer, type ServerProcess } from '../real-server.js';
import { Traffic } from './traffic.js';

/** `npm run proof -- restart` asks for the full numbers. */
const isFull = process.env.SLUICE_RESTART === 'full';
const INSTANCES = isFull ? 3 : 2;
const PER_SECOND = isFull ? { http: 1600, grpc: 400 } : { http: 25, grpc: 25 };
const KEYS = isFull ? 40 : 4;
const LIMIT = isFull ? 1000 : 20;
const DRAIN_DELAY = isFull ? '5s' : '200ms';
/** A machine that is too busy to answer must not be taken for a Redis that is lost: each instance would count by itself. */
const REDIS_TIMEOUT = '5s';

let program: RealServer;
let redis: RedisServer;
let traffic: Traffic | undefined;

beforeAll(async () => {
  [program, redis] = await Promise.all([RealServer.build(), RedisServer.start()]);
  program.write(
    'sluice.yaml',
    `version: 1\nkeys: { customer: { header: x-api-key } }\npolicies: { api: { key: customer, limits: [{ name: day, limit: ${LIMIT}, window: 1d }] } }\n`,
  );
});

afterAll(async () => {
  await traffic?.stop();
  await program?.remove();
  await redis?.stop();
});

const READ = 'a-token-that-may-read';

/** Resolves when the clients of gRPC have found an instance: only then the next one may go. Those of HTTP ask who is ready. */
async function found(instance: ServerProcess): Promise<void> {
  const { admin } = await instance.ready();
  await until(async () => {
    const response = await fetch(`http://127.0.0.1:${admin}/metrics`, { headers: { Authorization: `Bearer ${READ}` } });
    return (await response.text()).includes('sluice_server_requests_total{protocol="rls"');
  }, 100);
}

interface Place {
  readonly port: number;
  readonly grpcPort: number;
}

function start({ port, grpcPort }: Place): ServerProcess {
  const ports = ['--port', `${port}`, '--grpc-port', `${grpcPort}`, '--admin-port', '0'];
  const counters = ['--store', `redis://127.0.0.1:${redis.port}`, '--store-timeout', REDIS_TIMEOUT];
  const drain = ['--drain-delay', DRAIN_DELAY, '--drain-deadline', '10s'];
  return program.start(['sluice.yaml', ...ports, ...counters, ...drain], {
    SLUICE_SECRET: '00112233445566778899aabbccddeeff',
    SLUICE_INSTANCES: `${INSTANCES}`,
    SLUICE_READ_TOKEN: READ,
  });
}

it('instances that are restarted one after another fail no request, and admit exactly the limit', async () => {
  const places = await Promise.all(
    Array.from(
      { length: INSTANCES },
      async (): Promise<Place> => ({ port: await freePort(), grpcPort: await freePort() }),
    ),
  );
  const running = places.map(start);
  await Promise.all(running.map((instance) => instance.ready()));

  const keys = Array.from({ length: KEYS }, (_, i) => `customer-${i}`);
  const startMs = performance.now();
  traffic = new Traffic({
    httpPorts: places.map(({ port }) => port),
    grpcPorts: places.map(({ grpcPort }) => grpcPort),
    keys,
    perSecond: PER_SECOND,
    connections: isFull ? 32 : 4,
  });
  const { seen } = traffic;
  const most = (): number => seen.asked.http + seen.asked.grpc;
  await Promise.all(running.map(found));
  for (const [i, place] of places.entries()) {
    running[i]?.signal('SIGTERM');
    expect(await running[i]?.ended).toEqual({ exitCode: 0, signal: null });
    running[i] = start(place);
    await found(running[i] as ServerProcess);
  }
  const restartMs = performance.now() - startMs;
  await until(() => most() > 1.25 * KEYS * LIMIT, 10);
  const seconds = (performance.now() - startMs) / 1000;
  await traffic.stop();

  const allowed = keys.map((key) => seen.allowed.get(key) ?? 0);
  const above = allowed.reduce((sum, count) => sum + Math.max(0, count - LIMIT), 0);
  process.stdout.write(
    `restart: ${INSTANCES} instances restarted in ${(restartMs / 1000).toFixed(1)} s under ${Math.round(most() / seconds)} requests a second (${seen.asked.http} by HTTP, ${seen.asked.grpc} by gRPC): ${seen.failed.length} failed, ${above} above the limit\n`,
  );
  expect(seen.failed).toEqual([]);
  expect(allowed).toEqual(keys.map(() => LIMIT));
  for (const instance of running) instance.signal('SIGKILL');
});
