import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import findRedis, { type Choice, choiceOf, redisProgram } from '@sluice/test-kit/redis/redis-program';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';

const REAL = redisProgram();
const { PATH, SLUICE_TEST_REDIS, SLUICE_TEST_REDIS_FOUND } = process.env;

/** Everything on the path. */
let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'sluice-bin-'));
  process.env.PATH = bin;
  delete process.env.SLUICE_TEST_REDIS;
  delete process.env.SLUICE_TEST_REDIS_FOUND;
});

afterEach(() => {
  jest.restoreAllMocks();
  const before = { PATH, SLUICE_TEST_REDIS, SLUICE_TEST_REDIS_FOUND };
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(bin, { recursive: true });
});

function put(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\nbin='${bin}'\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** Replaces `docker` and nothing else. It runs real servers as its own children, and signals them. */
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

function watchedStderr(): jest.SpiedFunction<typeof process.stderr.write> {
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

  it.each(['apt-get', 'apk'])(
    'install a server with %s when they run as root, and say so in one line before',
    (manager) => {
      symlinkSync('/bin/sh', join(bin, 'sh'));
      put(manager, `: > "$bin/redis-server" && /bin/chmod +x "$bin/redis-server"`);
      userIs(0);
      const written = watchedStderr().mockImplementation(() => {
        expect(existsSync(join(bin, 'redis-server'))).toBe(false);
        return true;
      });
      expect(redisProgram()).toBe(join(bin, 'redis-server'));
      expect(redisProgram()).toBe(join(bin, 'redis-server'));
      const line = /^Installing redis-server for the tests \(SLUICE_TEST_REDIS=off prevents it\): (apt-get|apk) .+\n$/;
      expect(written.mock.calls).toEqual([[expect.stringMatching(line)]]);
    },
  );

  it.each([
    ['off', 'SLUICE_TEST_REDIS is off'],
    [
      '/no/such/redis-server',
      'SLUICE_TEST_REDIS has to be off or the path of a server program, and is /no/such/redis-server',
    ],
  ])('install nothing and fail where SLUICE_TEST_REDIS is %s, whatever is there', (wanted, message) => {
    symlinkSync('/bin/sh', join(bin, 'sh'));
    put('redis-server', '');
    put('apt-get', `: > "$bin/installed"`);
    userIs(0);
    process.env.SLUICE_TEST_REDIS = wanted;
    findRedis();
    expect(() => redisProgram()).toThrow(message);
    expect(existsSync(join(bin, 'installed'))).toBe(false);
  });

  it('use the program that SLUICE_TEST_REDIS names, and look for no other', () => {
    put('redis-server', '');
    put('my-redis', '');
    process.env.SLUICE_TEST_REDIS = join(bin, 'my-redis');
    findRedis();
    expect(redisProgram()).toBe(join(bin, 'my-redis'));
    process.env.SLUICE_TEST_REDIS = 'my-redis';
    expect(redisProgram()).toBe(join(bin, 'my-redis'));
  });

  it('name the command that helps where there is nothing to start a server with', () => {
    put('apk', 'exit 1');
    put('docker', 'exit 1');
    userIs(1000);
    expect(() => redisProgram()).toThrow('This installs it: sudo apk add redis');
  });

  it('run a server by docker compose where there is nothing else, and freeze, thaw and kill it, not its client', async () => {
    put('docker', basename(REAL) === 'docker' ? `PATH='${PATH}' exec '${REAL}' "$@"` : DOCKER);
    const written = watchedStderr();
    const server = await RedisServer.start();
    try {
      // The process may write its own warnings meanwhile.
      const lines = written.mock.calls.map(([line]) => line).filter((line) => String(line).startsWith('Running'));
      expect(lines).toEqual(['Running the Redis servers of the tests through docker compose\n']);
      expect(await pong(server)).toBe('PONG');
      await server.freeze();
      await expect(pong(server)).rejects.toThrow('timed out');
      await server.thaw();
      expect(await pong(server)).toBe('PONG');
      await server.kill();
      await expect(pong(server)).rejects.toThrow('Connection is closed');
      await server.run();
      expect(await pong(server)).toBe('PONG');
    } finally {
      await server.stop();
    }
  }, 120_000);
});

describe('The choice of a server program', () => {
  const OFF =
    'This test needs a Redis, and SLUICE_TEST_REDIS is off: set it to the path of a redis-server or valkey-server, or unset it.';
  const NOTHING = 'The tests need redis-server or valkey-server on the PATH, or Docker. This installs it:';

  it.each<[wanted: string | undefined, there: string, user: 'root' | 'user', choice: Choice]>([
    [undefined, 'redis-server valkey-server apt-get docker', 'root', { use: '/bin/redis-server' }],
    ['', 'valkey-server apt-get docker', 'root', { use: '/bin/valkey-server' }],
    [undefined, 'apt-get docker', 'root', { install: 'apt-get' }],
    [undefined, 'apk docker', 'root', { install: 'apk' }],
    [undefined, 'apt-get docker', 'user', { compose: '/bin/docker' }],
    [undefined, 'brew docker', 'root', { compose: '/bin/docker' }],
    [undefined, 'apt-get', 'user', { fail: `${NOTHING} sudo apt-get install redis-server` }],
    [undefined, 'dnf', 'root', { fail: `${NOTHING} sudo dnf install valkey` }],
    [undefined, '', 'user', { fail: `${NOTHING} sudo apt-get install redis-server` }],
    ['off', 'redis-server apt-get docker', 'root', { fail: OFF }],
    ['off', '', 'user', { fail: OFF }],
    ['my-redis', 'my-redis redis-server', 'root', { use: '/bin/my-redis' }],
    [
      'my-redis',
      'redis-server apt-get docker',
      'root',
      { fail: 'SLUICE_TEST_REDIS has to be off or the path of a server program, and is my-redis' },
    ],
  ])('where SLUICE_TEST_REDIS is %j, with %j for the %s', (wanted, there, user, choice) => {
    const find = (program: string) => (there.split(' ').includes(program) ? `/bin/${program}` : undefined);
    expect(choiceOf(wanted, { find, isRoot: user === 'root' })).toEqual(choice);
  });
});
