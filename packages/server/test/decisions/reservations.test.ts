import { afterEach, describe, expect, it } from '@jest/globals';
import { type DecisionServer, type DecisionServerOptions, SECRET, startDecisionServer } from './decision-server.js';

const servers: DecisionServer[] = [];

async function start(options?: DecisionServerOptions): Promise<DecisionServer> {
  const server = await startDecisionServer(options);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    expect(server.reported).toEqual([]);
    await server.close();
  }
});

const ann = { policy: 'api', request: { address: '192.0.2.1' } };

async function reserve(server: DecisionServer, more: object = {}): Promise<string> {
  const { body } = await server.post('/v1/decisions', { ...ann, kind: 'reserve', cost: 20, ...more });
  return body.reservation.token;
}

const settle = (server: DecisionServer, token: string, body: object = {}) =>
  server.post(`/v1/reservations/${token}/settle`, body);
const cancel = (server: DecisionServer, token: string) => server.post(`/v1/reservations/${token}/cancel`, {});

describe('a reservation', () => {
  it('has a token that says nothing of its key', async () => {
    const server = await start();
    const { body } = await server.post('/v1/decisions', { ...ann, kind: 'reserve', cost: 20 });
    expect(body).toMatchObject({ allowed: true, reservation: { expiresInMs: 600_000 } });
    const [version, name, charge] = body.reservation.token.split('.');
    expect([version, name]).toEqual(['1', expect.stringMatching(/^[A-Za-z0-9_-]{8}$/)]);
    expect(Buffer.from(charge, 'base64url').toString('latin1')).not.toMatch(/192\.0\.2|api|minute/);
    expect(await server.left()).toBe(80);
  });

  it.each([
    ['settled without an amount', {}, 80],
    ['settled at its real cost', { actual: 5 }, 95],
    ['settled at nothing', { actual: 0 }, 100],
    ['settled above what was reserved', { actual: 30 }, 70],
    ['settled by the name of the limit', { actual: { minute: 12 } }, 88],
  ])('is %s', async (_, body, left) => {
    const server = await start();
    const token = await reserve(server);
    const { status, body: answer } = await settle(server, token, body);
    expect([status, answer]).toEqual([200, { policy: 'api', result: 'applied' }]);
    expect(await server.left()).toBe(left);
  });

  it('is settled by a request without a body', async () => {
    const server = await start();
    const token = await reserve(server);
    expect((await server.send(`/v1/reservations/${token}/settle`, { method: 'POST' })).status).toBe(200);
  });

  it('is cancelled: everything is given back', async () => {
    const server = await start();
    const token = await reserve(server);
    expect((await cancel(server, token)).body).toEqual({ policy: 'api', result: 'applied' });
    expect(await server.left()).toBe(100);
  });

  it('is corrected once, whatever comes after', async () => {
    const server = await start();
    const token = await reserve(server);
    await settle(server, token, { actual: 5 });
    for (const again of [() => settle(server, token, { actual: 1 }), () => cancel(server, token)]) {
      const { status, body } = await again();
      expect([status, body]).toEqual([200, { policy: 'api', result: 'repeated' }]);
      expect(await server.left()).toBe(95);
    }
  });

  it('of a repeated operation is one reservation, whichever token comes', async () => {
    const server = await start();
    const [first, second] = [await reserve(server, { id: 'a' }), await reserve(server, { id: 'a' })];
    expect(await server.left()).toBe(80);
    await settle(server, first, { actual: 1 });
    expect((await settle(server, second, { actual: 50 })).body.result).toBe('repeated');
    expect(await server.left()).toBe(99);
  });

  it('of an operation can be settled as long as the caller says, also for longer than an hour', async () => {
    const server = await start();
    const { body } = await server.post('/v1/decisions', { ...ann, kind: 'reserve', cost: 20, id: 'a', expires: '3h' });
    expect(body.reservation.expiresInMs).toBe(10_800_000);
    server.clock.advance('2h');
    expect((await settle(server, body.reservation.token, { actual: 30 })).body.result).toBe('applied');
    server.clock.advance('1h');
    expect((await settle(server, body.reservation.token, { actual: 30 })).body.result).toBe('repeated');
  });

  it('is apart from one of the same request in the same millisecond', async () => {
    const server = await start();
    const [first, second] = [await reserve(server), await reserve(server)];
    expect((await cancel(server, first)).body.result).toBe('applied');
    expect((await cancel(server, second)).body.result).toBe('applied');
    expect(await server.left()).toBe(100);
  });

  it('is absent for a refusal, a peek and a charge that is final', async () => {
    const server = await start();
    const { body } = await server.post('/v1/decisions', [
      { ...ann, kind: 'reserve', cost: 101 },
      { ...ann, kind: 'peek' },
      { ...ann, kind: 'consume' },
      { ...ann, kind: 'reserve', request: { address: '198.51.100.8' } },
    ]);
    expect(body.map(({ reservation }: { reservation?: object }) => reservation)).toEqual(Array(4).fill(undefined));
  });

  it('can be settled as long as the caller says, and not longer', async () => {
    const server = await start();
    const early = await reserve(server, { expires: '30s' });
    const late = await reserve(server, { expires: '30s' });
    server.clock.advance('30s');
    expect((await settle(server, early, { actual: 0 })).body.result).toBe('applied');
    server.clock.advance('1ms');
    const { status, body } = await settle(server, late, { actual: 0 });
    expect([status, body.errors]).toMatchObject([410, [{ parameter: 'token' }]]);
    expect(await server.left()).toBe(80);
  });
});

describe('a store that cannot be reached', () => {
  it('is 503 for corrections and decisions, which may be sent again', async () => {
    const server = await start();
    const token = await reserve(server);
    await server.parts.service.store.close();
    for (const answer of [await settle(server, token), await server.post('/v1/decisions', ann)]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(answer.body).toMatchObject({ title: 'Temporary Reduced Capacity', status: 503 });
    }
  });
});

describe('a token', () => {
  it('that is altered in any character is 400, and changes nothing', async () => {
    const server = await start();
    const token = await reserve(server);
    const foreign = (i: number): boolean => i >= 2 && i < 10;
    for (let i = 0; i < token.length; i += 7) {
      const other = token[i] === 'A' ? 'B' : 'A';
      const altered = `${token.slice(0, i)}${other}${token.slice(i + 1)}`;
      const { status } = await cancel(server, altered);
      expect([i, status]).toEqual([i, foreign(i) ? 404 : 400]);
    }
    const last = token.at(-1) as string;
    for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.replace(last, '')) {
      expect((await cancel(server, `${token.slice(0, -1)}${other}`)).status).toBe(400);
    }
    expect(await server.left()).toBe(80);
  });

  it.each(['x', '1', '1.2.3.4', '2.aaaaaaaa.b.c', '%00', '..%2f', 'a'.repeat(8000)])(
    'that is none (%#) is 400',
    async (token) => {
      const server = await start();
      const { status, body } = await settle(server, encodeURIComponent(token));
      expect([status, body.errors]).toMatchObject([400, [{ parameter: 'token' }]]);
    },
  );

  it('of another installation is 404, and changes nothing', async () => {
    const here = await start();
    const there = await start({ secrets: ['another secret of tests'] });
    const token = await reserve(there);
    const { status, body } = await settle(here, token);
    expect([status, body.errors]).toMatchObject([404, [{ parameter: 'token' }]]);
    expect(await there.left()).toBe(80);
  });

  it('is taken by every instance with its secret, also if a new one signs', async () => {
    const one = await start();
    const { store } = one.parts.service;
    const other = await start({ secrets: ['a newer secret of tests', SECRET], service: one.parts.service });
    expect(other.parts.service.store).toBe(store);
    expect((await settle(other, await reserve(one), { actual: 1 })).body.result).toBe('applied');
    expect((await settle(one, await reserve(other))).status).toBe(404);
    expect(await one.left()).toBe(79);
  });

  it('of a memory that another process has is 404', async () => {
    const here = await start();
    const there = await start();
    const { status, body } = await settle(here, await reserve(there), { actual: 0 });
    expect([status, body.errors]).toMatchObject([404, [{ parameter: 'token' }]]);
    expect(await here.left()).toBe(100);
  });

  it('of a policy that the file does not have any more is 404', async () => {
    const server = await start();
    const token = await reserve(server);
    server.source.text = server.source.text
      .replace(/^ {2}api: .*\n/m, '')
      .replace('version: 1', 'version: 1\naccept: REVISION');
    server.source.text = server.source.text.replace('REVISION', server.parts.service.live.revision);
    expect((await server.parts.service.live.reload()).outcome).toBe('applied');
    expect((await settle(server, token)).status).toBe(404);
  });
});

describe('a wrong correction', () => {
  it.each([
    [{ actual: -1 }, '/actual'],
    [{ actual: 1.5 }, '/actual'],
    [{ actual: '5' }, '/actual'],
    [{ actual: [5] }, '/actual'],
    [{ actual: { minute: -1 } }, '/actual/minute'],
    [{ actual: { hour: 1 } }, '/actual'],
    [{ amount: 5 }, '/amount'],
    [[], ''],
    [null, ''],
  ])('%j is 400, and changes nothing', async (body, pointer) => {
    const server = await start();
    const token = await reserve(server);
    const answer = await server.post(`/v1/reservations/${token}/settle`, body);
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ pointer }]]);
    expect(await server.left()).toBe(80);
    expect((await cancel(server, token)).body.result).toBe('applied');
  });

  it('has no amount to cancel', async () => {
    const server = await start();
    const token = await reserve(server);
    const { status, body } = await server.post(`/v1/reservations/${token}/cancel`, { actual: 1 });
    expect([status, body.errors]).toMatchObject([400, [{ pointer: '/actual' }]]);
  });

  it.each(['', 'a', 'a/', 'a/spend', 'a/settle/b', '/settle'])('of the path %j is 404', async (rest) => {
    const server = await start();
    expect((await server.post(`/v1/reservations/${rest}`, {})).status).toBe(404);
  });

  it('has no query', async () => {
    const server = await start();
    const { status, body } = await server.post(`/v1/reservations/${await reserve(server)}/settle?actual=1`, {});
    expect([status, body.errors]).toMatchObject([400, [{ parameter: 'query' }]]);
    expect(await server.left()).toBe(80);
  });

  it('is 405 for another method, 413 for a long body, and 415 for another type', async () => {
    const server = await start();
    const path = `/v1/reservations/${await reserve(server)}/settle`;
    expect((await server.send(path, { method: 'GET' })).status).toBe(405);
    expect((await server.post(path, { actual: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await server.post(path, {}, { 'Content-Type': 'text/plain' })).status).toBe(415);
  });
});
