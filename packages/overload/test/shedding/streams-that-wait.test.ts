import { once } from 'node:events';
import { createServer, request, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createNodeShedding } from '@sluice/core/http';
import { requestPoliciesOf } from '@sluice/http/request/policies-of-request';
import { fourPlaces, type WatchedShedder } from '@sluice/test-kit/shedding/watched-shedder';
import { until } from '@sluice/test-kit/until';

let shedder: WatchedShedder;
let server: Server;

/** What a limit does with a request that waits for its turn, and then has it. */
function waitForTurn(req: object): void {
  const policies = requestPoliciesOf(req);
  policies.isWaiting = true;
  policies.isWaiting = false;
}

beforeEach(async () => {
  shedder = fourPlaces();
  const { pass } = createNodeShedding({ shedder });
  server = createServer((req, res) => {
    pass(req, res, () => {
      if (req.url !== '/events') return void res.end('ok');
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      waitForTurn(req);
    });
  });
  server.on('upgrade', (req, socket) => {
    const res = new ServerResponse(req);
    res.assignSocket(req.socket);
    // As WebSocket servers do, it reads its connection, or it would not see that the client leaves.
    socket.resume().on('end', () => socket.end());
    pass(req, res, () => {
      waitForTurn(req);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => void server.close());

async function begin(path: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ port, host: '127.0.0.1', path, headers, agent: false });
  outgoing.on('error', () => {});
  outgoing.end();
  const [answer] = await Promise.race([once(outgoing, 'response'), once(outgoing, 'upgrade')]);
  return { status: answer.statusCode as number, leave: () => answer.socket.destroy() };
}

describe('A limit that lets a stream wait', () => {
  it.each<[stream: string, path: string, headers: Record<string, string>, status: number]>([
    ['of events', '/events', {}, 200],
    ['on an upgraded connection', '/', { connection: 'Upgrade', upgrade: 'echo' }, 101],
  ])('gives a stream %s no place under the limit in flight', async (_stream, path, headers, status) => {
    const streams = [];
    for (let i = 0; i < 6; i += 1) streams.push(await begin(path, headers));
    expect(streams.map((stream) => stream.status)).toEqual(streams.map(() => status));
    expect(shedder.state.inFlight).toBe(6);
    expect((await begin('/')).status).toBe(200);
    for (const { leave } of streams) leave();
    await until(() => shedder.state.inFlight === 0);
    expect(shedder.endings).not.toContain('resume');
  });
});
