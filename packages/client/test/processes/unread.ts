import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { limitedFetch } from '../../src/index.js';

// A program with `--expose-gc`: whether calls get the only slot, while the body of an answer is kept, and after it was dropped.
const collect = globalThis.gc as () => void;

const server = createServer((_req, res) => void res.end('x'.repeat(3_000_000))).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const api = limitedFetch({ concurrency: 1, retry: false, maxWait: 0 });

/** Collects what nobody has any more, and says how a further call ends. */
async function nextCall(): Promise<string> {
  for (let i = 0; i < 10; i += 1) {
    collect();
    await pause(5);
  }
  return api(url).then(
    async (response) => `${response.status} ${(await response.text()).length}`,
    ({ code }) => code,
  );
}

/** What calls hear while the body of an answer is kept here without its response, and after a part of it was read. */
async function whileKept(): Promise<readonly string[]> {
  const { body } = await api(url);
  const unread = await nextCall();
  const reader = body?.getReader();
  await reader?.read();
  const readInPart = await nextCall();
  reader?.releaseLock();
  return [unread, readInPart];
}

const [unread, readInPart] = await whileKept();
const dropped = await nextCall();
process.stdout.write(JSON.stringify({ unread, readInPart, dropped }));
server.closeAllConnections();
server.close();
