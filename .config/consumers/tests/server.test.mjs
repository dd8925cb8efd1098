import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { decisions } from '@sluice/client/decisions';

const POLICIES = `
version: 1
policies:
  api: { limits: [{ name: minute, limit: 1, window: 1m }] }
`;

/** Resolves with the ports of the program, which it logs when it is ready. */
async function portsOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const { msg, ports } = JSON.parse(line);
    if (msg === 'ready') return ports;
  }
  throw new Error('the service ended before it was ready');
}

test('The decision service answers a balancer and a client, and ends when it is asked to', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-consumer-server-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sluice.yaml');
  writeFileSync(file, POLICIES);
  const ports = ['--port', '0', '--grpc-port', '0', '--admin-port', '0'];
  const program = spawn('node_modules/.bin/sluice-server', [file, ...ports, '--drain-delay', '1ms']);
  t.after(() => program.kill('SIGKILL'));
  const { traffic } = await portsOf(program);
  program.stdout.resume();

  const url = `http://127.0.0.1:${traffic}`;
  assert.equal((await fetch(`${url}/v1/forward-auth/api`)).status, 204);
  assert.equal((await fetch(`${url}/v1/forward-auth/api`)).status, 429);
  // By default it waits 100 ms, which a machine with much else to do may not have.
  const remote = decisions({ url, policy: 'api', deadline: '10s' });
  const { allowed, tightest } = await remote.peek({ method: 'GET', url: '/', headers: {}, ip: '127.0.0.1' });
  assert.deepEqual([allowed, tightest.limit.quota], [false, 1]);
  await remote.close();

  program.kill('SIGTERM');
  assert.deepEqual(await once(program, 'exit'), [0, null]);
});
