import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { status } from '@grpc/grpc-js';
import { afterEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RATE_LIMIT_SERVICE } from '../../src/grpc/protocol.js';
import { ProtocolMetrics } from '../../src/metrics/protocol-metrics.js';
import { descriptorsOf, OfficialClient } from './official-client.js';
import { startGrpc } from './test-server.js';

const RUNS = Number(process.env.SLUICE_RUNS ?? 100);

const TEXT = `version: 1
keys: { user: code, customer: { header: x-api-key } }
policies:
  api: { key: everyone, limits: [{ name: minute, limit: 1000000, window: 1m }] }
  users: { key: [user, customer], tier: { from: code, default: free }, limits: [{ name: minute, tier: true }] }
tiers: { free: { minute: { limit: 1000000, window: 1m } } }
`;

const ends: (() => unknown)[] = [];

const PATH = `/${RATE_LIMIT_SERVICE}/ShouldRateLimit`;

async function start(options: Parameters<typeof startGrpc>[1] = {}) {
  const server = await startGrpc(TEXT, options);
  const client = new OfficialClient(server.port);
  ends.push(() => client.close(), server.stop);
  const isAlive = async () => {
    const answer = await client.call({ domain: 'api', descriptors: descriptorsOf({ generic_key: 'x' }) });
    expect(answer.overall_code).toBe('OK');
  };
  return { ...server, client, isAlive };
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The codes of an answer that says what the caller did wrong. */
const BLAMES_CALLER = [status.INVALID_ARGUMENT, status.RESOURCE_EXHAUSTED];

it('answers any bytes with a decision or with what is wrong with them, and goes on', async () => {
  const { client, isAlive, errors } = await start();
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('__proto__', 'policy', 'remote_address', '\0', 'api', 'users', 'é'.repeat(9000)),
  );
  const request = fc.record({
    domain: fc.oneof(text, fc.constantFrom('api', 'users', 'a.')),
    hits_addend: fc.constantFrom(0, 1, 0xffff_ffff),
    descriptors: fc.array(
      fc.record({
        entries: fc.array(fc.record({ key: text, value: text }), { maxLength: 5 }),
        hits_addend: fc.option(fc.record({ value: fc.constantFrom(0, 7, 2 ** 53, 2 ** 63) }), { nil: undefined }),
        is_negative_hits: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
  });
  const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
  const ask = async (call: Promise<unknown>): Promise<void> => {
    const code = await call.then(
      () => status.OK,
      (error: { code: status }) => error.code,
    );
    expect([status.OK, ...BLAMES_CALLER]).toContain(code);
  };
  await fc.assert(
    fc.asyncProperty(fc.oneof(request, bytes), async (one) => {
      await ask(one instanceof Buffer ? client.call({}, { bytes: one }) : client.call(one, { isNewer: true }));
    }),
    { numRuns: RUNS },
  );
  expect(errors).toEqual([]);
  await isAlive();
});

it('answers a message of a hundred thousand descriptors with as many statuses as a request may have', async () => {
  const { client, isAlive } = await start();
  // Field 2, empty.
  const bytes = Buffer.from(`0a03${Buffer.from('api').toString('hex')}${'1200'.repeat(100_000)}`, 'hex');
  const { overall_code, statuses, raw_body } = await client.call({}, { bytes });
  expect([overall_code, statuses.length, JSON.parse(raw_body.toString()).status]).toEqual(['OVER_LIMIT', 100, 400]);
  await isAlive();
});

it('counts calls whose caller has left as cancelled, and not as those of an unknown caller', async () => {
  const metrics = new ProtocolMetrics();
  const { port, isAlive } = await start({ metrics });
  const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {});
  const closed = new Promise<void>((resolve) => session.once('close', resolve));
  const leave = (): void => {
    const call = session.request({
      ':method': 'POST',
      ':path': PATH,
      te: 'trailers',
      'content-type': 'application/grpc',
    });
    call.on('error', () => {}).end(Buffer.alloc(5));
    call.close(constants.NGHTTP2_CANCEL);
  };
  // More than a thousand at once end the connection, while the calls are still read. A slow machine has to send more.
  for (let sent = 0; sent < 50_000 && !session.closed && !session.destroyed; sent += 1) {
    leave();
    if (sent % 1200 === 1199) await new Promise(setImmediate);
  }
  await closed;
  await isAlive();
  expect(metrics.byCode.get('CANCELLED')).toBeGreaterThan(0);
  expect(metrics.byCode.has('UNAUTHENTICATED')).toBe(false);
});

/** A frame of HTTP/2 (RFC 9113 section 4.1) on the connection itself. */
function frame(type: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  return Buffer.concat([header, payload]);
}

const SETTINGS = frame(4, Buffer.alloc(0));
const PING = frame(6, Buffer.alloc(8));

it('ends the connection of a client that pings and reads no answer, and serves the others', async () => {
  const { port, isAlive } = await start();
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), SETTINGS]));
  const pings = Buffer.concat(new Array(10_000).fill(PING));
  const flood = (): void => {
    while (!socket.destroyed && socket.write(pings));
  };
  socket.on('drain', flood);
  flood();
  await closed;
  await isAlive();
});
