import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { createLog, type Log } from '../../src/program/log.js';
import { DEFAULT_OPTIONS, type ServerOptions } from '../../src/program/options/server-options.js';
import type { RunningServer } from '../../src/program/running-server.js';
import { type StartParts, startServer } from '../../src/program/start-server.js';

const FILE = 'version: 1\npolicies: { api: { limits: [{ limit: 3, window: 1m }] } }\n';
const READ = 'a-token-that-may-read';
const WRITE = 'a-token-that-may-write';

let folder: string;
const path = (name: string): string => join(folder, name);
const lines: string[] = [];
const log: Log = createLog('info', { write: (line) => lines.push(line) });
const running: RunningServer[] = [];
const agent = new Agent({ keepAlive: true });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-start-'));
  process.env.TMPDIR = folder;
  writeFileSync(path('sluice.yaml'), FILE);
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  lines.length = 0;
});

afterAll(() => {
  agent.destroy();
  delete process.env.TMPDIR;
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<ServerOptions> = {}, parts: StartParts = {}): Promise<RunningServer> {
  const ports = { port: 0, grpcPort: 0, adminPort: 0 };
  const server = await startServer({ ...DEFAULT_OPTIONS, file: path('sluice.yaml'), ...ports, ...options }, log, parts);
  running.push(server);
  return server;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function ask(port: number, path: string, token?: string): Promise<Answer> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const [message] = (await once(get({ host: '127.0.0.1', port, path, headers, agent }), 'response')) as [
    IncomingMessage,
  ];
  return { status: message.statusCode, headers: message.headers, body: await text(message) };
}

describe('a server', () => {
  it('is healthy on the traffic port and on the admin port, and tells reasons on the admin port alone, to a read token', async () => {
    const { ports } = await start({ readTokens: [READ], writeTokens: [WRITE] });
    for (const port of [ports.traffic, ports.admin]) {
      expect(await ask(port, '/livez')).toMatchObject({ status: 200, body: 'alive\n' });
      expect(await ask(port, '/readyz')).toMatchObject({ status: 200, body: 'ready\n' });
    }
    expect((await ask(ports.traffic, '/readyz?verbose', READ)).body).toBe('ready\n');
    expect((await ask(ports.admin, '/readyz?verbose')).status).toBe(401);
    const { status, body } = await ask(ports.admin, '/readyz?verbose', READ);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      ready: true,
      degraded: [],
      policies: {
        revision: expect.stringMatching(/^[0-9a-f]{12}$/),
        enforcement: 'on',
        lastReload: { successful: true },
      },
      stores: expect.arrayContaining([expect.objectContaining({ store: 'memory' })]),
    });
    expect((await ask(ports.admin, '/metrics', READ)).body).toContain('sluice_');
  });

  it('makes tokens if none is given: in a file that only its owner can read, until it ends', async () => {
    const server = await start();
    const file = server.tokenFile ?? 'none';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    const [, read = ''] = /^read (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    expect((await ask(server.ports.admin, '/metrics', read)).status).toBe(200);
    expect(lines.join('')).toContain(file);
    expect(lines.join('')).not.toContain(read);
    await server.close();
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder)).toEqual(['sluice.yaml']);
  });

  it('removes the token file of a process that was killed, when the next one starts on this host', async () => {
    // A process that has ended has this number, and nobody gets it again so soon.
    const { pid } = spawnSync(process.execPath, ['--version']);
    const [dead, ofOther, alive] = [
      `${hostname()}-${pid}-aaaaaa`,
      `other-host-${pid}-aaaaaa`,
      `${hostname()}-1-aaaaaa`,
    ].map((name) => join(tmpdir(), `sluice-server-${name}`)) as [string, string, string];
    for (const left of [dead, ofOther, alive]) {
      mkdirSync(left, { mode: 0o700 });
      writeFileSync(join(left, 'tokens'), 'read left-behind\n');
    }
    const [one, two] = [await start(), await start()];
    expect([dead, ofOther, alive].map((left) => existsSync(left))).toEqual([false, true, true]);
    expect([one, two].map(({ tokenFile }) => existsSync(tokenFile ?? ''))).toEqual([true, true]);
    for (const left of [ofOther, alive]) rmSync(left, { recursive: true });
  });

  it('is degraded, and ready, while the newest policy file is rejected', async () => {
    const file = path('changing.yaml');
    writeFileSync(file, FILE);
    const { service, readiness } = await start({ file });
    writeFileSync(file, FILE.replace('3', '-3'));
    expect(await service.live.reload()).toMatchObject({ outcome: 'rejected' });
    expect(readiness.degraded).toEqual([
      expect.stringMatching(/^policies: the newest file is rejected, and [0-9a-f]{12} goes on$/),
    ]);
    expect(readiness.isReady).toBe(true);
    rmSync(file);
  });

  it('writes audit lines to the end of a file, also after the file was moved away', async () => {
    const auditFile = path('audit.log');
    writeFileSync(auditFile, 'before\n');
    const { service } = await start({ auditFile });
    rmSync(auditFile);
    await service.live.setEnforcement('shadow', { for: '1h', by: 'ann', reason: 'a trial' });
    expect(JSON.parse(readFileSync(auditFile, 'utf8'))).toMatchObject({ by: 'ann', changes: [{ to: 'shadow' }] });
    rmSync(auditFile);
  });
});

describe('a server that cannot start', () => {
  it.each<[what: string, options: Partial<ServerOptions>, code: string]>([
    ['has no policy file', { file: 'none.yaml' }, 'SLUICE_SOURCE'],
    ['cannot write its audit', { auditFile: 'none/audit' }, 'SLUICE_SOURCE'],
    ['has a token that can be guessed', { readTokens: ['sesame'] }, 'SLUICE_OPTION'],
  ])('says so if it %s, and leaves nothing behind', async (_, options, code) => {
    await expect(start(options)).rejects.toMatchObject({ code });
    expect(readdirSync(folder)).toEqual(['sluice.yaml']);
  });

  it('names every port that is in use', async () => {
    const { ports } = await start();
    const { traffic: port, grpc: grpcPort, admin: adminPort } = ports;
    const inUse = 'is in use by another program: stop that one, or choose another port (EADDRINUSE)';
    await expect(start({ port, grpcPort, adminPort })).rejects.toThrow(
      [
        `--port: 127.0.0.1:${port} ${inUse}`,
        `--grpc-port: 127.0.0.1:${grpcPort} ${inUse}`,
        `--admin-port: 127.0.0.1:${adminPort} ${inUse}`,
      ].join('\n'),
    );
    await expect(start({ host: '203.0.113.1' })).rejects.toThrow('--port: 203.0.113.1:0 is no address of this machine');
  });
});

describe('a drain', () => {
  it('is unready at once, answers as before for the delay, tells clients to go, and then closes', async () => {
    const clock = new ManualClock();
    const server = await start({}, { clock });
    const { traffic, admin } = server.ports;
    const connectionAt = async (): Promise<string | undefined> => {
      const { status, headers } = await ask(traffic, '/readyz');
      expect(status).toBe(503);
      return headers.connection;
    };
    const drained = server.drain();
    expect(server.drain()).toBe(drained);
    expect(server.readiness.isReady).toBe(false);
    expect((await ask(admin, '/readyz')).status).toBe(503);
    await clock.advance(4999);
    expect(await connectionAt()).toBe('keep-alive');
    await clock.advance(1);
    expect(await connectionAt()).toBe('close');
    await clock.advance(1999);
    expect(await connectionAt()).toBe('close');
    await clock.advance(1);
    await drained;
    await server.ended;
    for (const port of [traffic, admin]) await expect(ask(port, '/livez')).rejects.toThrow();
    await expect(service(server)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('is cut short by a close', async () => {
    const server = await start({ drainDelayMs: 3_600_000 });
    const drained = server.drain();
    await server.close();
    await drained;
  });
});

const service = ({ service }: RunningServer): Promise<unknown> => service.live.reload();
