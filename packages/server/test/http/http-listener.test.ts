import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { httpListener } from '../../src/http/http-listener.js';
import type { Listener } from '../../src/listener.js';

const HOST = '127.0.0.1';
const agents: Agent[] = [];

afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

async function started(handle: RequestListener): Promise<{ listener: Listener; port: number }> {
  const listener = httpListener(createServer(handle));
  return { listener, port: await listener.listen(HOST, 0) };
}

function keptAlive(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

async function answerOf(port: number, agent: Agent): Promise<{ message: IncomingMessage; body: string }> {
  const [message] = (await once(get({ host: HOST, port, agent }), 'response')) as [IncomingMessage];
  return { message, body: await text(message) };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, HOST);
  await once(socket, 'connect');
  return socket;
}

const fine: RequestListener = (_, response) => void response.writeHead(200, { 'Content-Length': '4' }).end('fine');

describe('a listener over HTTP', () => {
  it('keeps connections open until it leaves, and then tells each client to go, and still answers', async () => {
    const { listener, port } = await started(fine);
    const agent = keptAlive();
    expect((await answerOf(port, agent)).message.headers.connection).toBe('keep-alive');
    listener.leave();
    listener.leave();
    for (const _ of [1, 2]) {
      const { message, body } = await answerOf(port, agent);
      expect([message.headers.connection, body]).toEqual(['close', 'fine']);
    }
    await listener.close(10_000);
  });

  it('sends the answers under way before it is closed, and takes no new connection', async () => {
    const { promise: asked, resolve: ask } = deferred();
    const { promise: ready, resolve: answer } = deferred();
    const { listener, port } = await started((request, response) => {
      ask();
      void ready.then(() => fine(request, response as never));
    });
    const under = answerOf(port, keptAlive());
    await asked;
    const closed = listener.close(60_000);
    await expect(opened(port)).rejects.toThrow('ECONNREFUSED');
    answer();
    expect((await under).body).toBe('fine');
    await closed;
  });

  it('closes idle connections at once', async () => {
    const { listener, port } = await started(fine);
    await answerOf(port, keptAlive());
    await listener.close(60_000);
  });

  it('cuts off what is not answered in time', async () => {
    const { promise: asked, resolve: ask } = deferred();
    const { listener, port } = await started(ask);
    const under = answerOf(port, keptAlive());
    await asked;
    await Promise.all([listener.close(20), expect(under).rejects.toThrow('socket hang up')]);
  });

  it('does not wait for the deadline if a connection has never sent a byte', async () => {
    const { listener, port } = await started(fine);
    const socket = await opened(port);
    const ended = once(socket, 'close');
    await listener.close(100_000_000);
    await ended;
  });

  it('rejects if the port is in use, and closes all the same', async () => {
    const { listener, port } = await started(fine);
    const second = httpListener(createServer(fine));
    await expect(second.listen(HOST, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close(0);
    await listener.close(0);
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
