import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { until } from '../until.js';
import { OK, type SheddingFixture, type SheddingRules } from './shedding-fixture.js';

/** Resolves when this many permits have ended. Then nothing may be in flight, and no permit may end again. */
async function expectEndings(fixture: SheddingFixture, endings: SheddingFixture['shedder']['endings']): Promise<void> {
  await until(() => fixture.shedder.endings.length >= endings.length);
  await fixture.idle();
  expect(fixture.shedder.endings).toEqual(endings);
  await fixture.close();
  expect(fixture.shedder.endings).toEqual(endings);
}

/** A stream that has sent one text, and goes on. */
function openStream(): Readable {
  const stream = new Readable({ read() {} });
  stream.push('data: hello\n\n');
  return stream;
}

/** Begins a request, and resolves when its response has begun. */
async function beginStream(fixture: SheddingFixture, path = '/'): Promise<() => void> {
  const socket = fixture.connect();
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: sluice\r\n\r\n`);
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  await until(() => received.includes('data: hello'));
  return () => socket.destroy();
}

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' };

export const endingRules: SheddingRules = {
  'ends when the response is finished, and gives a sample': async (fixture) => {
    const inFlight: (number | undefined)[] = [];
    await fixture.serve({}, ({ load }) => {
      inFlight.push(load?.inFlight);
      return OK;
    });
    for (const method of ['GET', 'HEAD', 'POST']) await fixture.ask('/', { method });
    expect(inFlight).toEqual([1, 1, 1]);
    await expectEndings(fixture, ['done', 'done', 'done']);
  },

  'ends without a sample when the error handler has answered': async (fixture) => {
    await fixture.serve({}, () => {
      throw new Error('the handler failed');
    });
    expect(await fixture.statusOf()).toBe(500);
    await expectEndings(fixture, ['drop']);
  },

  'ends without a sample when the client leaves a handler that never answers': async (fixture) => {
    await fixture.serve();
    const [pending] = await fixture.hold(1);
    expect(fixture.shedder.state.inFlight).toBe(1);
    pending?.leave();
    await expectEndings(fixture, ['drop']);
  },

  'ends without a sample when the client leaves in the middle of the response': async (fixture) => {
    await fixture.serve({}, () => ({ status: 200, body: openStream() }));
    const leave = await beginStream(fixture);
    leave();
    await expectEndings(fixture, ['drop']);
  },

  'ends without a sample when the response breaks off': async (fixture) => {
    const stream = openStream();
    await fixture.serve({}, () => ({ status: 200, body: stream }));
    await beginStream(fixture);
    stream.destroy(new Error('the source failed'));
    await expectEndings(fixture, ['drop']);
  },

  'of a stream of events counts until the stream ends, and gives no sample': async (fixture) => {
    const stream = openStream();
    await fixture.serve({}, () => ({ status: 200, headers: EVENTS, body: stream }));
    await beginStream(fixture);
    expect(fixture.shedder.state.inFlight).toBe(1);
    expect(fixture.shedder.endings).toEqual(['pause']);
    stream.push(null);
    await expectEndings(fixture, ['pause', 'drop']);
  },

  'of a stream takes no place once the stream has begun': async (fixture) => {
    await fixture.serve({}, ({ path }) =>
      path === '/events' ? { status: 200, headers: EVENTS, body: openStream() } : OK,
    );
    for (let i = 0; i < 10; i += 1) await beginStream(fixture, '/events');
    expect(fixture.shedder.state.inFlight).toBe(10);
    expect(await fixture.statusOf()).toBe(200);
  },

  'of a stream that isStream names gives no sample, and of another one it does': async (fixture) => {
    await fixture.serve((requestOf) => ({ isStream: (...args) => requestOf(args).url === '/feed' }));
    await fixture.ask('/feed');
    await until(() => fixture.shedder.endings.length === 2);
    await fixture.ask('/page');
    await expectEndings(fixture, ['pause', 'drop', 'done']);
  },

  'ends for every request of a connection, also for those that wait behind another one': async (fixture) => {
    await fixture.serve();
    const socket = fixture.connect();
    const one = 'GET /held HTTP/1.1\r\nHost: sluice\r\n\r\n';
    socket.write(one + one + one);
    await until(() => fixture.handled.length === 3);
    expect(fixture.shedder.state.inFlight).toBe(3);
    socket.destroy();
    await expectEndings(fixture, ['drop', 'drop', 'drop']);
  },
};
