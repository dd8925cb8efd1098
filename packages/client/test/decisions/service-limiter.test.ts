import { afterEach, describe, expect, it } from '@jest/globals';
import { type DecisionsLimiter, type DecisionsOptions, decisions } from '@sluice/client/decisions';
import { policyMetrics, type SluiceEvents, storeMetrics, subscribe } from '@sluice/core';
import {
  type DecisionServer,
  type DecisionServerOptions,
  startDecisionServer,
} from '../../../server/test/decisions/decision-server.js';

const ANN = { method: 'GET', url: '/v1/x?y=1', ip: '192.0.2.1' };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A service, and a limiter that asks it. A slow machine is not a failing service. */
async function start(
  options: Partial<DecisionsOptions> = {},
  service: DecisionServerOptions = {},
): Promise<{ server: DecisionServer; remote: DecisionsLimiter }> {
  const server = await startDecisionServer(service);
  const remote = decisions({ url: server.url, policy: 'api', deadline: '10s', onStoreError: 'deny', ...options });
  open.push(server, remote);
  return { server, remote };
}

describe('A limiter over the decision service', () => {
  it('decides as the policy of the service', async () => {
    const { remote, server } = await start({ policy: 'login' });
    const left = [];
    for (let i = 0; i < 6; i += 1) left.push((await remote.consume(ANN)).tightest.remaining);
    expect(left).toEqual([4, 3, 2, 1, 0, 0]);
    const refused = await remote.consume(ANN);
    expect(refused).toMatchObject({ policy: 'login', allowed: false, retryAfterMs: 900_000, source: 'store' });
    server.clock.advance(900_000);
    expect((await remote.consume(ANN)).allowed).toBe(true);
  });

  it('peeks without spending, and takes a cost', async () => {
    const { remote } = await start();
    expect((await remote.peek(ANN, { cost: 101 })).allowed).toBe(false);
    await remote.consume(ANN, { cost: 40 });
    expect((await remote.peek(ANN)).tightest.remaining).toBe(60);
  });

  it('settles a reservation once, or cancels it', async () => {
    const { remote, server } = await start();
    const first = await remote.reserve(ANN, { cost: 10 });
    await first.settle(3);
    await first.settle(50);
    await first.cancel();
    expect(await server.left()).toBe(97);
    const second = await remote.reserve(ANN, { cost: 10 });
    await second.settle({ minute: 20 });
    expect(await server.left()).toBe(77);
    const third = await remote.reserve(ANN, { cost: 10 });
    await third.cancel();
    const fourth = await remote.reserve(ANN, { cost: 7 });
    await fourth.release();
    await fourth.settle();
    expect(await server.left()).toBe(70);
  });

  it('refuses to settle by what is no amount, and changes nothing then', async () => {
    const { remote, server } = await start();
    const reservation = await remote.reserve(ANN);
    await expect(reservation.settle(-1)).rejects.toMatchObject({ code: 'SLUICE_COST' });
    await expect(reservation.settle({ hour: 1 })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'settle.hour' });
    await expect(reservation.settle([1] as never)).rejects.toMatchObject({ code: 'SLUICE_OPTION' });
    await reservation.settle(5);
    expect(await server.left()).toBe(95);
  });

  it('leaves the charge of a reservation that has expired', async () => {
    const failures: unknown[] = [];
    open.push({ close: async () => stop() });
    const stop = subscribe('sluice:store-error', ({ error }) => failures.push(error));
    const { remote, server } = await start({ expires: '2s' });
    const reservation = await remote.reserve(ANN, { cost: 10 });
    server.clock.advance(2001);
    await reservation.cancel();
    expect(await server.left()).toBe(90);
    expect(failures).toEqual([]);
  });

  it('charges an operation once, however often it is repeated', async () => {
    const { remote, server } = await start();
    const first = await remote.consume(ANN, { id: 'order-1' });
    const second = await remote.consume(ANN, { id: 'order-1' });
    expect(second.verdicts).toEqual(first.verdicts);
    expect(await server.left()).toBe(99);
  });

  it('sends keys, tiers and named header fields, and no others', async () => {
    const text = `version: 1
keys: { customer: code, account: { header: x-api-key } }
tiers: { free: { minute: { limit: 10, window: 1m } }, paid: { minute: { limit: 100, window: 1m } } }
policies:
  api: { key: [customer, account], tier: { from: code, default: free }, limits: [{ name: minute, tier: true }] }
`;
    const { remote, server } = await start({ headers: ['X-Api-Key'] }, { text });
    const seen: unknown[] = [];
    const { answer } = server.parts.service;
    server.parts.service.answer = ((policy: string, call: object) => {
      seen.push(call);
      return answer(policy, call as never);
    }) as typeof answer;
    const headers = { 'x-api-key': 'k', authorization: 'secret', cookie: 'secret' };
    const decision = await remote.consume({ ...ANN, headers, keys: { customer: 'ann' }, tier: 'paid' });
    expect(decision.tightest.limit.quota).toBe(100);
    expect(seen).toEqual([
      expect.objectContaining({ method: 'GET', url: '/v1/x?y=1', ip: '192.0.2.1', keys: { customer: 'ann' } }),
    ]);
    expect(seen).toHaveProperty('0.headers', { 'x-api-key': 'k' });
  });

  it('passes who is on the allow list, and throws the refusal of the deny list', async () => {
    const { remote } = await start();
    const decision = await remote.consume({ ...ANN, ip: '198.51.100.8' });
    expect(decision).toMatchObject({ allowed: true, tightest: { used: 0, limit: { algorithm: 'unlimited' } } });
    const refused = remote.consume({ ...ANN, ip: '198.51.100.7' });
    await expect(refused).rejects.toMatchObject({ refusal: { status: 403 } });
  });

  it('throws for a request that cannot be counted, without harm to others at the same time', async () => {
    const { remote } = await start();
    const [bad, good] = await Promise.allSettled([remote.consume({ method: 'GET', url: '/' }), remote.consume(ANN)]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_KEY' } });
    expect(good).toMatchObject({ status: 'fulfilled', value: { allowed: true, source: 'store' } });
    await expect(remote.consume(ANN, { cost: -1 })).rejects.toMatchObject({ code: 'SLUICE_COST' });
    await expect(remote.consume(ANN, { id: 'ä' })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'id' });
    await expect(remote.consume('ann' as never)).rejects.toMatchObject({ code: 'SLUICE_KEY' });
    await expect(remote.reserve(ANN, { expires: '1ms' })).rejects.toMatchObject({ path: 'expires' });
  });

  it('asks in a list if the service takes the calls of a turn one by one only', async () => {
    const { remote } = await start();
    const keys = { customer: 'x'.repeat(1025) };
    const answers = await Promise.allSettled([remote.consume({ ...ANN, keys }), remote.consume(ANN)]);
    expect(answers).toMatchObject([{ reason: { code: 'SLUICE_KEY' } }, { value: { allowed: true } }]);
  });

  it('sends what the service can read of any path, method and address', async () => {
    const { remote } = await start();
    const odd = ['/ä ö\u0000', 'http://other.example/x', 'example.org:443', '*', `/${'x'.repeat(20_000)}`, ''];
    for (const url of odd) expect((await remote.consume({ ...ANN, url, method: 'brew me' })).allowed).toBe(true);
    await expect(remote.consume({ ...ANN, ip: 'unix:/tmp/s' })).rejects.toMatchObject({ code: 'SLUICE_KEY' });
  });

  it('never admits more than the limit of 1,000 requests at once, and sends them together', async () => {
    const { remote } = await start();
    const trips = () => storeMetrics().find(({ store }) => store === 'decisions')?.operations.consume.counts;
    const count = () => trips()?.reduce((sum, each) => sum + each, 0) ?? 0;
    const before = count();
    const all = await Promise.all(Array.from({ length: 1000 }, () => remote.consume(ANN)));
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(count() - before).toBeLessThanOrEqual(20);
  });

  it('counts and publishes its decisions as every policy does', async () => {
    const notified: SluiceEvents['sluice:decision'][] = [];
    const stop = subscribe('sluice:decision', (message) => notified.push(message));
    open.push({ close: async () => stop() });
    const text = 'version: 1\npolicies: { counted: { limits: [{ name: minute, limit: 1, window: 1m }] } }\n';
    const { remote } = await start({ policy: 'counted' }, { text });
    await remote.consume(ANN);
    await remote.consume(ANN);
    await remote.peek(ANN);
    // The service counts in the same process here, so each decision is counted twice.
    const counted = policyMetrics().find(({ policy }) => policy === 'counted');
    expect(counted?.decisions).toMatchObject({ allowed: { store: 2 }, refused: { store: 2 } });
    expect(notified.filter(({ encodedKeys }) => encodedKeys.length === 0)).toHaveLength(2);
  });

  it('throws for what the service does not do for its callers', async () => {
    const { remote } = await start();
    for (const method of [
      'wait',
      'refund',
      'charge',
      'correct',
      'reset',
      'block',
      'unblock',
      'blocked',
      'inspect',
    ] as const)
      expect(remote[method]).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }));
  });

  it('asks nothing after it was closed', async () => {
    const { remote, server } = await start();
    const reservation = await remote.reserve(ANN);
    const last = remote.consume(ANN);
    await remote.close();
    expect((await last).allowed).toBe(true);
    await expect(remote.consume(ANN)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    await expect(reservation.cancel()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(await server.left()).toBe(98);
  });
});
