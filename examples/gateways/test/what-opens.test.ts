import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { GatewayName } from './gateways.js';
import { NAMES, Setup } from './setup.js';

const LIMIT = 20;
const REQUESTS = 30;

const POLICIES = `
version: 1
keys: { customer: { header: x-api-key } }
policies:
  api: { key: customer, limits: [{ limit: ${LIMIT}, window: 1d }] }
`;

/** What may answer for a service, such as another balancer, with all kinds of statuses. */
const STATUSES = [
  [200, 204, 206],
  [301, 304],
  [400, 401, 402, 403, 404, 405, 408, 413, 418, 429, 431, 451, 499],
  [500, 501, 502, 503, 504, 505, 520, 599],
].flat();

/** No answer, and no answer in time. HAProxy says 503 if no service is alive; that of the service is a problem. */
const OPENING: Readonly<Record<GatewayName, readonly number[]>> = {
  nginx: [502, 504],
  HAProxy: [502, 503, 504],
  Caddy: [502, 504],
};

const CHECK = join(__dirname, '../nginx/check-cache.sh');

/** A request without its last line, on a connection of its own. */
class HeldRequest {
  /** Resolves with the first answer, or with the end of the connection. */
  readonly answered: Promise<unknown>;
  readonly #socket: Socket;

  constructor(port: number, key: string) {
    this.#socket = connect(port, '127.0.0.1').on('error', () => {});
    this.answered = new Promise((resolve) => this.#socket.once('data', resolve).once('close', resolve));
    this.#socket.write(`GET / HTTP/1.1\r\nHost: shop.example\r\nX-Api-Key: ${key}\r\n`);
  }

  finish(): void {
    this.#socket.write('\r\n');
  }

  leave(): void {
    this.#socket.destroy();
  }
}

describe('What opens a gate', () => {
  const setup = new Setup();
  let service = 0;

  beforeAll(async () => {
    const [instance] = await setup.services(POLICIES);
    service = instance?.port ?? 0;
  });

  describe('that asks something else than the service', () => {
    let other: Server;

    beforeAll(async () => {
      other = createServer(({ headers }, response) => {
        response.writeHead(Number(headers['x-api-key'] ?? 200), { 'Content-Length': '0' }).end();
      });
      await once(other.listen(0, '127.0.0.1'), 'listening');
    });

    afterAll(() => {
      other.closeAllConnections();
      other.close();
    });

    it.each(NAMES)('is a status of 502 or 504, and no other that is no permission: %s', async (name) => {
      const { port } = other.address() as AddressInfo;
      const gateway = await setup.gateway(name, [port], { isPatient: true });
      const client = setup.client(gateway.server.url);
      const passed: number[] = [];
      for (const status of STATUSES) {
        setup.application.forget();
        await client.ask({ headers: { 'X-Api-Key': String(status) } });
        if (setup.application.asked > 0) passed.push(status);
      }
      const opening = OPENING[name];
      expect(passed).toEqual([200, 204, 206, ...opening]);
      expect(gateway.failOpens()).toBe(opening.length);
    });
  });

  it.each(NAMES)(
    'is no request that its client has spoiled: it gets 400, and hears what is wrong: %s',
    async (name) => {
      const gateway = await setup.gateway(name, [service], { isPatient: true });
      const { status, body } = await setup.client(gateway.server.url).ask({ headers: { Host: 'x'.repeat(256) } });
      expect([status, JSON.parse(body)]).toEqual([
        400,
        expect.objectContaining({ status: 400, errors: [expect.objectContaining({ header: 'X-Forwarded-Host' })] }),
      ]);
      expect(setup.application.asked).toBe(0);
      expect(gateway.failOpens()).toBe(0);
    },
  );

  it.each(NAMES)(
    'is no client that holds so many connections that the balancer can open no further ones: %s',
    async (name) => {
      const gateway = await setup.gateway(name, [service], { isPatient: true, mostFiles: 300 });
      const key = `holder of ${name}`;
      // So many requests at once leave it connections to the application.
      const client = setup.client(gateway.server.url, 10);
      await client.load(REQUESTS / 10, { headers: { 'X-Api-Key': key } });
      client.close();
      setup.application.forget();
      const held = Array.from({ length: 500 }, () => new HeldRequest(gateway.server.port, key));
      // nginx does not remember the refusals any more.
      await pause(2500);
      for (const request of held) request.finish();
      await Promise.race([Promise.all(held.map(({ answered }) => answered)), pause(6000)]);
      for (const request of held) request.leave();
      expect(setup.application.asked).toBe(0);
      if (name === 'HAProxy') expect(gateway.server.log).not.toContain('not enough free sockets');
      // It goes on when they have gone.
      const next = setup.client(gateway.server.url);
      let status = 0;
      while (status !== 429)
        ({ status } = await next.ask({ headers: { 'X-Api-Key': key } }).catch(() => ({ status: 0 })));
      expect(setup.application.asked).toBe(0);
    },
  );

  it.each(NAMES)('is no key, however long it is: %s', async (name) => {
    const gateway = await setup.gateway(name, [service], { isPatient: true });
    const client = setup.client(gateway.server.url);
    for (const bytes of [400, 513, 3200, 3300, 3400, 3500, 7900]) {
      setup.application.forget();
      const key = `${name} ${'k'.repeat(bytes - name.length - 1)}`;
      const statuses = await client.load(REQUESTS, { headers: { 'X-Api-Key': key } });
      expect({ bytes, statuses }).toEqual({ bytes, statuses: { 200: LIMIT, 429: REQUESTS - LIMIT } });
      expect(setup.application.asked).toBe(LIMIT);
    }
    expect(gateway.failOpens()).toBe(0);
  });

  it.each(NAMES)(
    'is no path of its own: what a client asks for belongs to the application, or is 404: %s',
    async (name) => {
      const gateway = await setup.gateway(name, [service], { isPatient: true });
      const client = setup.client(gateway.server.url);
      setup.application.forget();
      const { status, body } = await client.ask({ path: '/sluice', headers: { 'X-Api-Key': `own path ${name}` } });
      expect([status, body.includes('"application":200')]).toEqual(name === 'nginx' ? [404, false] : [200, true]);
      expect(setup.application.asked).toBe(name === 'nginx' ? 0 : 1);
      expect(gateway.failOpens()).toBe(0);
    },
  );

  describe('of nginx whose cache cannot be written', () => {
    let outer: string;

    beforeAll(() => {
      // Root makes the inner folder one of the workers, who may not enter the outer one. Somebody else is the worker, too.
      outer = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
      mkdirSync(join(outer, 'cache'));
      chmodSync(join(outer, 'cache'), 0o555);
    });

    afterAll(() => rmSync(outer, { recursive: true }));

    it('is nothing', async () => {
      const gateway = await setup.gateway('nginx', [service], { isPatient: true, cacheFolder: join(outer, 'cache') });
      setup.application.forget();
      for (let i = 0; i < REQUESTS; i += 1) {
        const client = setup.client(gateway.server.url);
        const asked = client.ask({ headers: { 'X-Api-Key': 'no cache' } });
        // It may end the connection instead of an answer.
        await asked.catch(() => undefined);
      }
      expect(setup.application.asked).toBeLessThanOrEqual(LIMIT);
      expect(gateway.failOpens()).toBe(0);
    });

    it('is told before it starts, by a check that says nothing of a cache that works', async () => {
      const right = await setup.gateway('nginx', [service], {
        cacheFolder: join(tmpdir(), `sluice-cache-${process.pid}`),
      });
      const wrong = await setup.gateway('nginx', [service], { cacheFolder: join(outer, 'cache') });
      const check = (folder: string) =>
        promisify(execFile)(CHECK, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log']).then(
          ({ stderr }) => stderr,
          ({ stderr }) => stderr,
        );
      expect(await check(right.server.folder)).toBe('');
      expect(await check(wrong.server.folder)).toMatch(
        /^sluice: nginx, as \w+, cannot write to its cache .+\/cache\./m,
      );
      rmSync(join(tmpdir(), `sluice-cache-${process.pid}`), { recursive: true });
    });
  });
});

describe('Requests that pass a gate', () => {
  const setup = new Setup();

  afterEach(() => setup.application.forget());

  it.each(NAMES)('share connections to the application, by HTTP/1.1: %s', async (name) => {
    const [service] = await setup.services(POLICIES);
    const gateway = await setup.gateway(name, [service?.port ?? 0], { isPatient: true });
    const client = setup.client(gateway.server.url);
    const statuses = await client.load(LIMIT, { headers: { 'X-Api-Key': 'one' } });
    expect(statuses).toEqual({ 200: LIMIT });
    expect(setup.application.connections).toBe(1);
    expect([...setup.application.versions]).toEqual(['1.1']);
  });
});
