import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { until } from '../until.js';
import { byClass, type SheddingFixture, type SheddingRules } from './shedding-fixture.js';

const GET = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';

/** A connection, and what came back on it so far. */
type Connection = readonly [Socket, () => string];

/** Serves with all places taken, and writes to a connection. */
async function writeTo(fixture: SheddingFixture, ...parts: readonly string[]): Promise<Connection> {
  await fixture.serve(byClass);
  await fixture.hold(4);
  return connectionWith(fixture, parts);
}

function connectionWith(fixture: SheddingFixture, parts: readonly string[]): Connection {
  const socket = fixture.connect();
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  // The server may close a connection whose rest it does not read.
  socket.on('error', () => {});
  for (const part of parts) socket.write(part);
  return [socket, () => received];
}

function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const LARGE = 10_000_000;

/** What the system and Node may have read before anybody looked at the request. */
const MOST_READ = 1_000_000;

async function expectUnread(fixture: SheddingFixture, head: string, chunk: string): Promise<void> {
  const [socket, received] = await writeTo(fixture, head);
  const server = await serverSide(fixture, socket);
  let left = LARGE;
  const write = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', write);
    }
  };
  write();
  await until(() => statusesIn(received()).length > 0);
  expect(statusesIn(received())).toEqual([503]);
  // The server closes the connection a moment later.
  await until(() => server.destroyed || socket.destroyed, 20);
  expect(server.bytesRead).toBeLessThan(MOST_READ);
  socket.destroy();
  expect(await fixture.statusOf('/livez')).toBe(200);
}

/** The server's end of a connection. */
async function serverSide(fixture: SheddingFixture, socket: Socket): Promise<Socket> {
  const find = (): Socket | undefined => fixture.sockets.find(({ remotePort }) => remotePort === socket.localPort);
  await until(() => find() !== undefined);
  return find() as Socket;
}

/** How long a connection lives whose request is refused and stays incomplete. */
const LINGER_MS = 1000;
const BEYOND_LINGER_MS = 1300;

/** A turn in which the server reads what was sent before. */
const READ_MS = 20;

/**
 * Returns a connection whose request was refused, and whose body came to its end a moment later. A busy machine may stand still until
 * the server has closed the connection: then another one is made.
 */
async function refusedWithLateBody(fixture: SheddingFixture): Promise<Connection> {
  const head = 'POST / HTTP/1.1\r\nHost: sluice\r\nContent-Length: 10\r\n\r\n01234';
  for (;;) {
    await fixture.hold(4);
    const sentMs = performance.now();
    const [socket, received] = connectionWith(fixture, [head]);
    await until(() => statusesIn(received()).length === 1);
    socket.write('56789');
    await setTimeout(READ_MS);
    const isInTime = performance.now() - sentMs < LINGER_MS;
    fixture.release();
    await fixture.idle();
    if (isInTime) return [socket, received];
    socket.destroy();
  }
}

export const connectionRules: SheddingRules = {
  'is not cut in a later request because the body of a refused one came late': async (fixture) => {
    await fixture.serve(byClass);
    // Then Node sets no timeout of its own, which would replace another one.
    fixture.keepAliveMs = 0;
    const [socket, received] = await refusedWithLateBody(fixture);
    const { handled } = fixture;
    const before = handled.length;
    socket.write(GET.replace('/', '/held'));
    await until(() => handled.length > before);
    await setTimeout(BEYOND_LINGER_MS);
    fixture.release();
    await until(() => statusesIn(received()).length === 2);
    expect(statusesIn(received())).toEqual([503, 200]);
    socket.destroy();
  },

  'can be used again after a refusal': async (fixture) => {
    const [socket, received] = await writeTo(fixture, GET);
    await until(() => statusesIn(received()).length === 1);
    fixture.release();
    await fixture.idle();
    socket.write(GET);
    await until(() => statusesIn(received()).length === 2);
    expect(statusesIn(received())).toEqual([503, 200]);
    socket.destroy();
  },

  'gets the answers to pipelined requests in their order': async (fixture) => {
    const health = GET.replace('/', '/livez');
    const [socket, received] = await writeTo(fixture, GET + health + GET + health);
    await until(() => statusesIn(received()).length === 4);
    expect(statusesIn(received())).toEqual([503, 200, 503, 200]);
    socket.destroy();
  },

  'can be used again after a refused request with a body': async (fixture) => {
    const body = 'x'.repeat(10_000);
    const whole = `POST / HTTP/1.1\r\nHost: sluice\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const chunked = `POST / HTTP/1.1\r\nHost: sluice\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n${body}\r\n0\r\n\r\n`;
    const health = GET.replace('/', '/livez');
    const [socket, received] = await writeTo(fixture, whole, chunked, whole, health);
    await until(() => statusesIn(received()).length === 4);
    expect(statusesIn(received())).toEqual([503, 503, 503, 200]);
    socket.destroy();
  },

  'is not read to the end of a large body, and closed': async (fixture) => {
    await expectUnread(
      fixture,
      `POST / HTTP/1.1\r\nHost: sluice\r\nContent-Length: ${LARGE}\r\n\r\n`,
      'x'.repeat(65_536),
    );
  },

  'is not read to the end of a large body of unknown length, and closed': async (fixture) => {
    await expectUnread(
      fixture,
      'POST / HTTP/1.1\r\nHost: sluice\r\nTransfer-Encoding: chunked\r\n\r\n',
      `10000\r\n${'x'.repeat(65_536)}\r\n`,
    );
  },
};
