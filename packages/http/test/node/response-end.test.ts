import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2ServerResponse,
} from 'node:http2';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onResponseEnd } from '@sluice/core/http';
import { until } from '@sluice/test-kit/until';

const GET = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

describe('onResponseEnd', () => {
  let server: Server;
  let client: Socket;
  /** The server's side of the client's connection. */
  let connection: Socket;
  let outcomes: unknown[];
  let responses: ServerResponse[];

  beforeEach(async () => {
    const notified: unknown[] = [];
    outcomes = notified;
    responses = [];
    const watch = (res: ServerResponse): void => {
      responses.push(res);
      onResponseEnd(res, (outcome) => notified.push(outcome));
    };
    server = createServer((_req, res) => watch(res))
      // As frameworks do it, to ask an application about an upgrade.
      .on('upgrade', (req: IncomingMessage, socket: Socket) => {
        const res = new ServerResponse(req);
        res.assignSocket(socket.resume().on('end', () => socket.end()));
        watch(res);
      })
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    [connection] = (await once(server, 'connection')) as [Socket];
  });
  afterEach(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });

  const untilThereAre = async (things: readonly unknown[], count: number): Promise<void> => {
    await until(() => things.length >= count);
  };
  const untilClosed = async (): Promise<void> => {
    client.destroy();
    // A connection that breaks off also emits an error, which does not matter here.
    await new Promise((resolve) => (connection.closed ? resolve(undefined) : connection.once('close', resolve)));
    await turnOfTheLoop();
  };
  const sent = (status: number) => ({ status, aborted: false });
  const brokenOff = { status: 200, aborted: true };

  it('reports the status of a response that was sent', async () => {
    client.write(GET);
    await untilThereAre(responses, 1);
    responses[0]?.writeHead(404).end('not here');
    await untilThereAre(outcomes, 1);
    expect(outcomes).toEqual([sent(404)]);
  });

  it('reports each pipelined response once, and nothing when the connection ends', async () => {
    client.write(GET.repeat(20));
    await untilThereAre(responses, 20);
    responses.forEach((response, i) => {
      response.writeHead(200 + i).end();
    });
    await untilThereAre(outcomes, 20);
    await untilClosed();
    expect(outcomes).toEqual(responses.map((_, i) => sent(200 + i)));
  });

  it('reports every response, also pipelined ones, if the connection ends before them', async () => {
    client.write(GET.repeat(20));
    await untilThereAre(responses, 20);
    responses[1]?.end('ended, but never sent');
    await untilClosed();
    expect(outcomes).toEqual(responses.map(() => brokenOff));
  });

  it('closes responses that wait behind another one, for all who wait for them, each once', async () => {
    client.write(GET.repeat(3));
    await untilThereAre(responses, 3);
    const closed: number[] = [];
    const waits = responses.map((response, i) => {
      response.on('close', () => closed.push(i));
      return finished(response).catch(({ code }) => code);
    });
    await untilClosed();
    expect(await Promise.all(waits)).toEqual(Array(3).fill('ERR_STREAM_PREMATURE_CLOSE'));
    expect([closed.toSorted(), responses.map((response) => response.closed)]).toEqual([
      [0, 1, 2],
      [true, true, true],
    ]);
    // Also for those who ask later.
    await expect(finished(responses[2] as ServerResponse)).rejects.toThrow('Premature close');
  });

  it('has one listener on a connection, however many requests are pipelined on it', async () => {
    const before = connection.listenerCount('close');
    client.write(GET.repeat(20));
    await untilThereAre(responses, 20);
    // Node itself adds one more, for the response that is being sent.
    expect(connection.listenerCount('close')).toBe(before + 2);
  });

  it('has one listener on a response, however many callers wait for its end', async () => {
    client.write(GET);
    await untilThereAre(responses, 1);
    const response = responses[0] as ServerResponse;
    const count = response.listenerCount('close');
    for (let i = 0; i < 20; i += 1) onResponseEnd(response, (outcome) => outcomes.push(outcome));
    expect(response.listenerCount('close')).toBe(count);
    response.end();
    await untilThereAre(outcomes, 21);
    expect(response.listenerCount('close')).toBe(0);
    expect(outcomes).toEqual(Array(21).fill(sent(200)));
  });

  it('treats a response as broken off if the client did not wait for the rest', async () => {
    client.pause().write(GET);
    await untilThereAre(responses, 1);
    responses[0]?.end(Buffer.alloc(20_000_000));
    await untilClosed();
    await untilThereAre(outcomes, 1);
    expect(outcomes).toEqual([brokenOff]);
  });

  it.each([
    ['without an error', undefined],
    ['with one', new Error('the source is broken')],
  ])('distinguishes a response that the application broke off, %s, from one that its client left', async (_, error) => {
    client.write(GET);
    await untilThereAre(responses, 1);
    responses[0]?.on('error', () => {}).write('begun');
    responses[0]?.destroy(error);
    await untilThereAre(outcomes, 1);
    expect(outcomes).toEqual([{ status: 200, aborted: false, broken: true }]);
  });

  it('treats a client that sends an invalid request as gone', async () => {
    client.write(GET);
    await untilThereAre(responses, 1);
    client.write('no request\r\n\r\n');
    await untilThereAre(outcomes, 1);
    expect(outcomes).toEqual([brokenOff]);
  });

  it('reports at once if the response, or its connection, has already ended', async () => {
    client.write(GET.repeat(3));
    await untilThereAre(responses, 3);
    responses[0]?.end();
    await untilThereAre(outcomes, 1);
    const atOnce = (response: ServerResponse | undefined): unknown => {
      let notified: unknown;
      onResponseEnd(response as ServerResponse, (outcome) => {
        notified = outcome;
      });
      return notified;
    };
    expect(atOnce(responses[0])).toEqual(sent(200));
    await untilClosed();
    expect(atOnce(responses[1])).toEqual(brokenOff);
    expect(atOnce(responses[2])).toEqual(brokenOff);
  });

  it('reports the refusal of an upgrade when it was sent, even if the connection stays open, and nothing afterwards', async () => {
    client.write(UPGRADE);
    await untilThereAre(responses, 1);
    responses[0]?.writeHead(401).end('no');
    await untilThereAre(outcomes, 1);
    onResponseEnd(responses[0] as ServerResponse, (outcome) => outcomes.push(outcome));
    await untilClosed();
    expect(outcomes).toEqual([sent(401), sent(401)]);
    expect(responses[0]?.listenerCount('finish')).toBe(0);
  });

  it('reports an upgraded connection when it ends', async () => {
    client.write(UPGRADE);
    await untilThereAre(responses, 1);
    await turnOfTheLoop();
    expect(outcomes).toEqual([]);
    await untilClosed();
    expect(outcomes).toEqual([brokenOff]);
  });
});

describe('onResponseEnd, over HTTP/2', () => {
  it('closes a response whose client has left, also for those who ask later', async () => {
    const outcomes: unknown[] = [];
    let response: Http2ServerResponse | undefined;
    const server = createHttp2Server((_req, res) => {
      response = res;
      onResponseEnd(res as unknown as ServerResponse, (outcome) => outcomes.push(outcome));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const request = session.request();
    await until(() => response !== undefined);
    request.close(constants.NGHTTP2_CANCEL);
    await until(() => outcomes.length > 0);
    expect(outcomes).toEqual([{ status: 200, aborted: true }]);
    await finished(response as unknown as ServerResponse).catch(({ code }) =>
      expect(code).toBe('ERR_STREAM_PREMATURE_CLOSE'),
    );
    session.destroy();
    server.close();
  });
});

describe('onResponseEnd, without a connection', () => {
  const withSocket = (response: ServerResponse): ServerResponse => {
    const socket = new Writable({ write: (_chunk, _encoding, done) => done() });
    response.assignSocket(socket as Socket);
    return response;
  };

  it.each<[what: string, make: () => ServerResponse]>([
    ['of another socket than its request', () => withSocket(new ServerResponse(new IncomingMessage(new Socket())))],
    [
      'of a request without a socket',
      () => withSocket(new ServerResponse({ method: 'GET' } as unknown as IncomingMessage)),
    ],
    [
      'without a request',
      () =>
        Object.defineProperty(withSocket(new ServerResponse(new IncomingMessage(new Socket()))), 'req', {
          value: undefined,
        }),
    ],
  ])('reports when a response is finished: one %s', async (_, make) => {
    const response = make();
    const outcomes: unknown[] = [];
    onResponseEnd(response, (outcome) => outcomes.push(outcome));
    const stop = onResponseEnd(response, (outcome) => outcomes.push(outcome));
    stop();
    response.writeHead(404).end('not here');
    await turnOfTheLoop();
    response.emit('close');
    expect(outcomes).toEqual([{ status: 404, aborted: false }]);
    onResponseEnd(response, (outcome) => outcomes.push(outcome));
    expect(outcomes).toHaveLength(2);
    expect(response.listenerCount('finish')).toBe(0);
  });
});
