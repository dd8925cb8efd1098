import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { redisProgram } from './redis-program.js';
import { RedisServer } from './redis-server.js';

const REAL = redisProgram();
const { PATH, SLUICE_TEST_REDIS } = process.env;

/** All that is on the path. */
let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'sluice-bin-'));
  process.env.PATH = bin;
  delete process.env.SLUICE_TEST_REDIS;
});

afterEach(() => {
  jest.restoreAllMocks();
  Object.assign(process.env, { PATH, SLUICE_TEST_REDIS });
  rmSync(bin, { recursive: true });
});

function put(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\nbin='${bin}'\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** In the place of `docker`, and of nothing else: it runs real servers, as children of its own, and signals them. */
const DOCKER = `
PATH='${PATH}'
echo "$@" >> "$bin/calls"
if [ "$1" = kill ]; then kill -s "\${3#SIG}" "$(cat "$bin/$4")"; exit; fi
name=nameless
until [ "$1" = redis-server ]; do
  if [ "$1" = --name ]; then name=$2; fi
  shift
done
shift
'${REAL}' "$@" &
echo $! > "$bin/$name"
wait $!
`;

function userIs(id: number): void {
  jest.spyOn(process as Required<typeof process>, 'getuid').mockReturnValue(id);
}

function told(): jest.SpiedFunction<typeof process.stderr.write> {
  return jest.spyOn(process.stderr, 'write').mockReturnValue(true);
}

async function pong({ port }: RedisServer): Promise<string> {
  const client = new Redis(port, { commandTimeout: 200, disconnectTimeout: 0, retryStrategy: () => null });
  client.on('error', () => {});
  return client.ping().finally(() => client.disconnect());
}

describe('The tests', () => {
  it.each(['redis-server', 'valkey-server'])('use the %s on the path', (name) => {
    put(name, '');
    put('apt-get', 'exit 1');
    expect(redisProgram()).toBe(join(bin, name));
  });

  it.each(['apt-get', 'apk'])('install a server with %s when they run as root, and say so in one line', (manager) => {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    put(manager, `: > "$bin/redis-server" && /bin/chmod +x "$bin/redis-server"`);
    userIs(0);
    const written = told();
    expect(redisProgram()).toBe(join(bin, 'redis-server'));
    expect(redisProgram()).toBe(join(bin, 'redis-server'));
    expect(written.mock.calls).toEqual([[expect.stringMatching(/^Installing redis-server for the tests: .+\n$/)]]);
  });

  it('name the command that helps where there is nothing to start a server with', () => {
    put('apk', 'exit 1');
    put('docker', 'exit 1');
    userIs(1000);
    expect(() => redisProgram()).toThrow('This installs it: sudo apk add redis');
  });

  it('run a server by docker compose where there is nothing else, and freeze, thaw and kill it, not its client', async () => {
    put('docker', basename(REAL) === 'docker' ? `PATH='${PATH}' exec '${REAL}' "$@"` : DOCKER);
    const written = told();
    const server = await RedisServer.start();
    expect(written.mock.calls).toEqual([['Running the Redis servers of the tests through docker compose\n']]);

    expect(await pong(server)).toBe('PONG');
    await server.freeze();
    await expect(pong(server)).rejects.toThrow('timed out');
    await server.thaw();
    expect(await pong(server)).toBe('PONG');
    await server.kill();
    await expect(pong(server)).rejects.toThrow('Connection is closed');
    await server.run();
    expect(await pong(server)).toBe('PONG');
    await server.stop();
  }, 30_000);
});
