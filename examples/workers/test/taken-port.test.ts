import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { build } from 'esbuild';

const ROOT = join(__dirname, '../../..');
const MAINS = ['main', 'upstream-main', 'web-main', 'worker-main'];

let folder: string;
let redis: RedisServer;
let stranger: Server | undefined;
let example: ChildProcess | undefined;

beforeAll(async () => {
  redis = await RedisServer.start();
  folder = mkdtempSync(join(tmpdir(), 'sluice-workers-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await build({
    entryPoints: MAINS.map((main) => join(__dirname, `../src/${main}.ts`)),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sluice/source'],
    external: ['bullmq', 'ioredis', '@valkey/valkey-glide'],
    outdir: folder,
    logLevel: 'error',
  });
});

afterEach(() => {
  example?.kill('SIGKILL');
  stranger?.closeAllConnections();
  stranger?.close();
});

afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The example takes the next port, too. It lies among those that no other test run or outgoing connection takes. */
async function portBeforeAFreeOne(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + 1 !== redis.port) return port;
  }
}

it.each([
  ['never answers', false],
  ['answers whatever it is asked', true],
])(
  'the example ends with one line that helps if its port is taken by a program that %s',
  async (_name, answers) => {
    const asked: string[] = [];
    stranger = createServer((req, res) => {
      asked.push(`${req.method} ${req.url}`);
      if (answers) res.writeHead(404).end();
    });
    const port = await portBeforeAFreeOne();
    stranger.listen(port, '127.0.0.1');
    await once(stranger, 'listening');
    const program = `import('./main.js').then(({ runExample }) => runExample('redis://127.0.0.1:${redis.port}'))`;
    example = spawn(process.execPath, ['-e', program], { cwd: folder, env: { ...process.env, PORT: `${port}` } });
    let err = '';
    example.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    example.stdout?.resume();
    expect(await once(example, 'close')).toEqual([1, null]);
    expect(err).toBe(`Port ${port} is taken: choose another one with PORT.\nThe web process has ended by itself.\n`);
    expect(asked).toEqual([]);
  },
  60_000,
);
