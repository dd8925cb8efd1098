import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { build } from 'esbuild';

const ROOT = join(__dirname, '../../..');

let folder: string;
let redis: RedisServer;

beforeAll(async () => {
  redis = await RedisServer.start();
  folder = mkdtempSync(join(tmpdir(), 'sluice-platform-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await build({
    entryPoints: ['main', 'worker-main'].map((main) => join(__dirname, `../src/${main}.ts`)),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sluice/source'],
    external: ['bullmq', 'ioredis', 'express', '@valkey/valkey-glide'],
    outdir: folder,
    logLevel: 'error',
  });
});

afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('The platform prints what to try, answers by worker processes, and ends on SIGINT', async () => {
  const program = `import('./main.js').then(({ runPlatform }) => runPlatform('redis://127.0.0.1:${redis.port}'))`;
  const child = spawn(process.execPath, ['-e', program], { cwd: folder, env: { ...process.env, PORT: '0' } });
  const exited = once(child, 'close');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  try {
    const hints: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      hints.push(line);
      if (line.startsWith('Ctrl+C')) break;
    }
    const url = /http:\S+/.exec(hints[0] ?? '')?.[0] ?? '';
    for (const path of ['/v1/chat/completions', '/v1/tasks', '/usage', '/providers/first']) {
      expect(hints.some((line) => line.includes('curl') && line.includes(url + path))).toBe(true);
    }
    const headers = { authorization: 'Bearer ann-key', 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"prompt":"Hello"}' };
    const { state } = (await (await fetch(`${url}/v1/tasks`, init)).json()) as { readonly state: string };
    let found = '';
    while (!found.includes('completed')) found = await (await fetch(url + state, { headers })).text();
    child.kill('SIGINT');
    child.stdout.resume();
    expect([await exited, errors]).toEqual([[0, null], '']);
  } finally {
    child.kill('SIGKILL');
  }
}, 60_000);
