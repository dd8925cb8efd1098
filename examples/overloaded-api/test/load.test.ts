import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const LOAD = fileURLToPath(new URL('../load.mjs', import.meta.url));

/** Returns a port of this machine that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('says how to start the shop if nothing answers', async () => {
  const url = `http://localhost:${await freePort()}`;
  const run = promisify(execFile)(process.execPath, [LOAD, url]);
  const text = `No answer from ${url} (ECONNREFUSED): start the shop first, by npm run start:overload\n`;
  await expect(run).rejects.toMatchObject({ code: 1, stderr: text });
});
