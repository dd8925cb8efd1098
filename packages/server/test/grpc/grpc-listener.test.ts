import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, credentials, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthClient } from './health-client.js';
import { descriptorsOf, OfficialClient } from './official-client.js';
import { startGrpc } from './test-server.js';

const TEXT = `version: 1
policies:
  api: { key: everyone, limits: [{ name: hour, limit: 1000000, window: 1h }] }
`;

const REQUEST = { domain: 'api', descriptors: descriptorsOf({ generic_key: 'all' }) };

const ends: (() => unknown)[] = [];

async function start(options: Parameters<typeof startGrpc>[1] = {}) {
  const server = await startGrpc(TEXT, options);
  ends.push(server.stop);
  return server;
}

function healthOf(port: number): HealthClient {
  const client = new HealthClient(port);
  ends.unshift(() => client.close());
  return client;
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

describe('the health', () => {
  it.each(['', 'envoy.service.ratelimit.v3.RateLimitService', 'grpc.health.v1.Health'])(
    'of %p follows the readiness',
    async (name) => {
      const { port, health } = await start();
      const client = healthOf(port);
      expect(await client.check(name)).toBe('SERVING');
      health.drain();
      expect(await client.check(name)).toBe('NOT_SERVING');
    },
  );

  it('of an unknown service is NOT_FOUND for a check, and SERVICE_UNKNOWN for a watch', async () => {
    const { port } = await start();
    const client = healthOf(port);
    await expect(client.check('strange')).rejects.toMatchObject({ code: status.NOT_FOUND });
    const { statuses, stream } = client.watch('strange');
    expect(await statuses.next()).toMatchObject({ value: { status: 'SERVICE_UNKNOWN' } });
    stream.on('error', () => {}).cancel();
  });

  it('is told to watchers at once when it changes, and their streams end when the server leaves', async () => {
    const { port, health, listener } = await start();
    const { statuses } = healthOf(port).watch();
    expect(await statuses.next()).toMatchObject({ value: { status: 'SERVING' } });
    health.drain();
    expect(await statuses.next()).toMatchObject({ value: { status: 'NOT_SERVING' } });
    listener.leave();
    expect(await statuses.next()).toMatchObject({ done: true });
  });
});

describe('the listener', () => {
  it('drains without a lost call while clients go on asking', async () => {
    const [leaving, staying] = await Promise.all([start(), start()]);
    const client = new Client(
      `ipv4:127.0.0.1:${leaving.port},127.0.0.1:${staying.port}`,
      credentials.createInsecure(),
      {
        'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
      },
    );
    const official = new OfficialClient(client);
    ends.unshift(() => official.close());
    let isOver = false;
    let calls = 0;
    const worker = async (): Promise<void> => {
      while (!isOver) {
        await official.call(REQUEST);
        calls += 1;
      }
    };
    const workers = Promise.all([worker(), worker(), worker(), worker()]);
    const told = once(connect(`http://127.0.0.1:${leaving.port}`), 'goaway');
    while (calls < 60) await pause(1);
    const before = calls;
    leaving.health.drain();
    leaving.listener.leave();
    await told;
    // Some of them come back, and are told again.
    while (calls < before + 40) await pause(1);
    await leaving.listener.close(60_000);
    while (calls < before + 80) await pause(1);
    isOver = true;
    await workers;
    const usedOf = async ({ service }: typeof leaving) =>
      (await service.handle('api').peek(['everyone'])).tightest.used;
    const [here, there] = [await usedOf(leaving), await usedOf(staying)];
    expect(here + there).toBe(calls);
    expect(here).toBeGreaterThan(0);
    expect(there).toBeGreaterThan(0);
  });

  it('tells clients of old connections to open another one, and loses no call', async () => {
    // The client repeats a refused call once (gRFC A6): a connection may not be old before a busy machine has used it.
    const { port } = await start({ maxConnectionAgeMs: 100 });
    const session = connect(`http://127.0.0.1:${port}`);
    const [code] = await once(session, 'goaway');
    expect(code).toBe(0);
    const official = new OfficialClient(port);
    ends.unshift(() => official.close());
    const endMs = performance.now() + 600;
    while (performance.now() < endMs)
      await expect(official.call(REQUEST)).resolves.toMatchObject({ overall_code: 'OK' });
  });

  it('closes within its time, though a client goes on watching', async () => {
    const { port, listener } = await start();
    const { statuses, stream } = healthOf(port).watch();
    stream.on('error', () => {});
    await statuses.next();
    await listener.close(60_000);
    await expect(healthOf(port).check()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  });

  it('fails to listen on a port that is taken, and says so', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
