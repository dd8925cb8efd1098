import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { boundOf, concurrency, createLimiter, LeasedStore, type Limiter, slidingWindow } from '@sluice/core';
import { admittedOf, DEFAULT_MS, Stage, sleep, slownessOf } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

/** The times below are longer on a slow machine. */
let lateMs = 100;
/** Replies come after that, and requests well before. */
let timeoutMs = DEFAULT_MS;
let leaseMs = 1000;
const HOUR_MS = 3_600_000;

let stage: Stage;
let proxy: TcpProxy;

beforeEach(async () => {
  stage = await Stage.set();
  proxy = await TcpProxy.to(stage.server.port);
  const slowness = await slownessOf(stage.client(proxy.port));
  [timeoutMs, lateMs, leaseMs] = [DEFAULT_MS * slowness, 2 * DEFAULT_MS * slowness, 1000 * slowness];
});

afterEach(async () => {
  await stage.clear();
  await proxy.stop();
});

/** A leased limit of so many an hour, over a network whose replies the proxy can hold up. */
async function leased(limit: number): Promise<{ store: LeasedStore; limiter: Limiter<string, true> }> {
  const beneath = stage.store({ client: stage.client(proxy.port), timeout: timeoutMs });
  const store = new LeasedStore({ store: beneath, lease: leaseMs });
  const limiter = createLimiter<string, true>({ name: 'api', limit, window: '1h', store, onStoreError: 'deny' });
  await stage.untilBack(limiter);
  return { store, limiter };
}

/** What Redis has left of the stricter limit by which a leased store asks it. */
function left(limit: number): Promise<number> {
  const stricter = slidingWindow({ limit, window: HOUR_MS + leaseMs });
  return stage.remaining({ name: 'api', limit: stricter }, 'ann');
}

/** Asks several times while replies are late. Between the asks, the network is healthy. */
async function askWithLateReplies(limiter: Limiter<string, true>): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    await stage.askFor(limiter, 200);
    proxy.replyDelayMs = lateMs;
    await stage.askFor(limiter, 6 * lateMs);
    proxy.replyDelayMs = 0;
    // Replies that were sent late come in order.
    await sleep(lateMs);
    await stage.untilBack(limiter);
  }
}

it('A leased store loses no granted unit, even if replies take twice the deadline', async () => {
  const limit = 10_000;
  const { store, limiter } = await leased(limit);
  await askWithLateReplies(limiter);
  // Units that could not be given back are given back within a lease.
  await sleep(leaseMs + lateMs);
  await stage.untilBack(limiter);
  await store.close();
  const admitted = admittedOf(stage.answers);
  expect(admitted).toBeGreaterThan(limit / 100);
  expect({ lost: limit - admitted - (await left(limit)) }).toEqual({ lost: 0 });
}, 180_000);

it('A leased store admits no more than the limit, even if replies take twice the deadline', async () => {
  const limit = 1500;
  const { store, limiter } = await leased(limit);
  await askWithLateReplies(limiter);
  await stage.askFor(limiter, 2 * leaseMs);
  await store.close();
  expect(boundOf(slidingWindow({ limit, window: '1h' }), '1h')).toBe(limit);
  expect(admittedOf(stage.answers)).toBe(limit);
}, 180_000);

it('A slot that was granted in a reply after twice the deadline is free for the next request', async () => {
  const store = stage.store({ client: stage.client(proxy.port), timeout: timeoutMs });
  const limit = concurrency({ limit: 1, lease: '10m' });
  const limiter = createLimiter<string, true>({ name: 'slots', limit, store, onStoreError: 'deny' });
  await (await limiter.reserve('ann')).cancel();
  proxy.replyDelayMs = lateMs;
  expect((await limiter.reserve('ann')).source).toBe('deny');
  proxy.replyDelayMs = 0;
  // The slot is freed when its reply is read, by a command on the same connection.
  await sleep(2 * lateMs);
  const reservation = await limiter.reserve('ann');
  expect({ source: reservation.source, allowed: reservation.allowed }).toEqual({ source: 'store', allowed: true });
  await reservation.cancel();
});
