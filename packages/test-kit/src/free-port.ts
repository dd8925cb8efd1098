import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections. One of those could take a port after it was found free and
 * before its server listens.
 */
const [FIRST, LAST] = [20_000, 32_768] as const;

/**
 * Each process of a test run has ports of its own. Otherwise a server of one test could take the port of a server that another
 * test has just killed, and clients would reach the wrong one.
 */
const SHARES = 8;
const SHARE = Math.floor((LAST - FIRST) / SHARES);
const OWN = FIRST + (Number(process.env.JEST_WORKER_ID ?? 0) % SHARES) * SHARE;

/** Nobody may listen yet on a port that was found a moment ago. */
const found = new Set<number>();

/** A port of the loopback interface that nobody listens on, and that was not returned before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(OWN, OWN + SHARE);
    if (found.has(port)) continue;
    found.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
