import { afterEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { InputProblem } from '../../src/http/input-problem.js';
import { CrowdedStore } from './crowded-store.js';
import { type DecisionServer, type DecisionServerOptions, startDecisionServer } from './decision-server.js';

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
const login = { policy: 'login', request: { address: '192.0.2.1', method: 'POST', path: '/login' } };

describe('POST /v1/decisions', () => {
  it('spends, and answers with what a middleware would put on the response', async () => {
    const server = await start();
    const { status, body, headers } = await server.post('/v1/decisions', ann);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toEqual({
      allowed: true,
      policy: 'api',
      revision: server.parts.service.live.revision,
      retryAfterMs: 0,
      source: 'store',
      verdicts: [expect.objectContaining({ name: 'minute', cost: 1, allowed: true, remaining: 99, used: 1 })],
      headers: {
        RateLimit: '"minute";r=99;t=63',
        'RateLimit-Policy': '"minute";q=100;w=60',
        'X-RateLimit-Limit': '100',
        'X-RateLimit-Remaining': '99',
        'X-RateLimit-Reset': '63',
      },
    });
    expect(await server.left()).toBe(99);
  });

  it('answers 200 for a refusal, with its fields and its problem', async () => {
    const server = await start();
    await server.post('/v1/decisions', { ...login, cost: 5 });
    const { status, body } = await server.post('/v1/decisions', login);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      allowed: false,
      retryAfterMs: 900_000,
      headers: { 'Retry-After': '900', 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
      problem: { title: 'Quota Exceeded', status: 429, 'violated-policies': ['attempts'] },
    });
  });

  it('answers with the status and the fields of the refusal if the caller asks for it', async () => {
    const server = await start();
    const allowed = await server.post('/v1/decisions?status=429', { ...login, cost: 5 });
    expect([allowed.status, allowed.body.allowed]).toEqual([200, true]);
    const refused = await server.post('/v1/decisions?status=429', login);
    expect([refused.status, refused.body.allowed]).toEqual([429, false]);
    expect(refused.headers.get('retry-after')).toBe('900');
    expect(refused.headers.get('content-type')).toBe('application/json');
    const denied = await server.post('/v1/decisions?status=429', { ...ann, request: { address: '198.51.100.7' } });
    expect(denied.status).toBe(403);
  });

  it('says that no limit was asked for an address on a list', async () => {
    const server = await start();
    const answers = await server.post('/v1/decisions', [
      { ...ann, request: { address: '198.51.100.7' } },
      { ...ann, request: { address: '198.51.100.8' } },
    ]);
    expect(answers.body).toMatchObject([
      { allowed: false, source: 'none', retryAfterMs: 'never', verdicts: [], problem: { status: 403 } },
      { allowed: true, source: 'none', retryAfterMs: 0, verdicts: [] },
    ]);
  });

  it('decides a list in its order, each request by itself', async () => {
    const server = await start();
    const { status, body } = await server.post('/v1/decisions', [
      { ...login, cost: 4 },
      login,
      login,
      { ...ann, cost: 7 },
    ]);
    expect(status).toBe(200);
    expect(body.map(({ allowed }: { allowed: boolean }) => allowed)).toEqual([true, true, false, true]);
    expect(body.map(({ policy }: { policy: string }) => policy)).toEqual(['login', 'login', 'login', 'api']);
    expect(await server.left()).toBe(93);
  });

  it('decides a thousand requests of one list', async () => {
    const server = await start();
    const { body } = await server.post('/v1/decisions', Array(1000).fill(ann));
    expect(body.map(({ allowed }: { allowed: boolean }) => allowed)).toEqual([
      ...Array(100).fill(true),
      ...Array(900).fill(false),
    ]);
  });

  it('asks the store about few requests of a list at once, so that a long list is no store that fails', async () => {
    const store = new CrowdedStore(new ManualClock());
    const server = await start({ store, clock: store.clock });
    const { body } = await server.post('/v1/decisions', Array(1000).fill(ann));
    expect(body.filter(({ allowed }: { allowed: boolean }) => allowed)).toHaveLength(100);
    expect(store.mostAtOnce).toBeLessThanOrEqual(50);
  });

  it('lets no request of a list fail because of another one', async () => {
    const server = await start();
    const { status, body } = await server.post('/v1/decisions', [
      ann,
      { ...ann, policy: 'gone' },
      { policy: 'api' },
      { ...ann, keys: { nobody: 1 } },
      ann,
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { allowed: true },
      { policy: 'gone', error: { status: 404, errors: [{ pointer: '/1/policy' }] } },
      { policy: 'api', error: { status: 400, errors: [{ pointer: '/2/request/address' }] } },
      { policy: 'api', error: { status: 400, errors: [{ pointer: '/3/keys/nobody' }] } },
      { allowed: true },
    ]);
    expect(await server.left()).toBe(98);
  });

  it('spends nothing for a peek', async () => {
    const server = await start();
    for (let i = 0; i < 3; i += 1) expect(await server.left({ ...ann, cost: 5 })).toBe(100);
  });

  it('reads keys, the tier and the cost that the caller gives', async () => {
    const server = await start();
    const ask = { policy: 'plans', keys: { customer: ['eu', 7] }, tier: 'paid', cost: 40 };
    const { body } = await server.post('/v1/decisions', [
      ask,
      ask,
      { ...ask, tier: 'free' },
      { ...ask, keys: { customer: 'bob' } },
    ]);
    expect(body.map((each: { verdicts: [{ remaining: number }] }) => each.verdicts[0].remaining)).toEqual([
      60, 20, 0, 60,
    ]);
  });

  it('counts by the address if the key of the policy is not given', async () => {
    const server = await start();
    const ask = { policy: 'plans', request: { address: '192.0.2.9' } };
    expect((await server.post('/v1/decisions', [ask, ask])).body[1].verdicts[0].remaining).toBe(8);
  });

  it('charges a named operation once within ten seconds', async () => {
    const server = await start();
    const first = await server.post('/v1/decisions', { ...ann, cost: 10, id: 'order-17' });
    const again = await server.post('/v1/decisions', { ...ann, cost: 10, id: 'order-17' });
    expect(again.body).toEqual(first.body);
    expect(await server.left()).toBe(90);
    server.clock.advance('10s');
    await server.post('/v1/decisions', { ...ann, cost: 10, id: 'order-17' });
    expect(await server.left()).toBe(80);
  });

  it('asks the caller for a token where it has to', async () => {
    const server = await start({
      callers: {
        check: () => {
          throw new InputProblem(401, [{ header: 'Authorization', detail: 'x' }]);
        },
      },
    });
    expect((await server.post('/v1/decisions', ann)).status).toBe(401);
    expect((await server.post('/v1/reservations/a/settle', {})).status).toBe(401);
  });
});
