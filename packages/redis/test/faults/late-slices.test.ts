import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { boundOf, concurrency, createLimiter, LeasedStore, type Limiter, slidingWindow } from '@sluice/core';
import { admittedOf, Stage, sleep } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

const LATE_MS = 100;
/** What a check may take by default: replies come after that, and requests well before. */
const TIMEOUT_MS = 50;
const LEASE_MS = 1000;
const HOUR_MS = 3_600_000;

let stage: Stage;
let proxy: TcpProxy;

beforeEach(async () => {
  stage = await Stage.set();
  proxy = await TcpProxy.to(stage.server.port);
});

afterEach(async () => {
  await stage.clear();
  await proxy.stop();
});

/** A leased limit of so many an hour, over a network whose replies the proxy can hold up. */
async function leased(limit: number): Promise<{ store: LeasedStore; limiter: Limiter<string, true> }> {
  const beneath = stage.store({ client: stage.client(proxy.port), timeout: TIMEOUT_MS });
  const store = new LeasedStore({ store: beneath, lease: LEASE_MS });
  const limiter = createLimiter<string, true>({ name: 'api', limit, window: '1h', store, onStoreError: 'deny' });
  await stage.untilBack(limiter);
  return { store, limiter };
}

/** What Redis has left of the stricter limit by which a leased store asks it. */
function left(limit: number): Promise<number> {
  const stricter = slidingWindow({ limit, window: HOUR_MS + LEASE_MS });
  return stage.remaining({ name: 'api', limit: stricter }, 'ann');
}

/** Asks while replies are late, several times, with the network well again in between. */
async function askWithLateReplies(limiter: Limiter<string, true>): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    await stage.askFor(limiter, 200);
    proxy.replyDelayMs = LATE_MS;
    await stage.askFor(limiter, 600);
    proxy.replyDelayMs = 0;
    // Replies that were sent late come in order.
    await sleep(LATE_MS);
    await stage.untilBack(limiter);
  }
}

it('A leased store loses no unit that Redis granted, though its replies come 100 ms late', async () => {
  const limit = 10_000;
  const { store, limiter } = await leased(limit);
  await askWithLateReplies(limiter);
  // What could not be given back is given back within a lease.
  await sleep(LEASE_MS + LATE_MS);
  await stage.untilBack(limiter);
  await store.close();
  const admitted = admittedOf(stage.answers);
  expect(admitted).toBeGreaterThan(limit / 100);
  expect({ lost: limit - admitted - (await left(limit)) }).toEqual({ lost: 0 });
}, 180_000);

it('A leased store admits no more than the limit, though its replies come 100 ms late', async () => {
  const limit = 1500;
  const { store, limiter } = await leased(limit);
  await askWithLateReplies(limiter);
  await stage.askFor(limiter, 2 * LEASE_MS);
  await store.close();
  expect(boundOf(slidingWindow({ limit, window: '1h' }), '1h')).toBe(limit);
  expect(admittedOf(stage.answers)).toBe(limit);
}, 180_000);

it('A slot that Redis granted in a reply which comes 100 ms late is free for the next', async () => {
  const store = stage.store({ client: stage.client(proxy.port), timeout: TIMEOUT_MS });
  const limit = concurrency({ limit: 1, lease: '10m' });
  const limiter = createLimiter<string, true>({ name: 'slots', limit, store, onStoreError: 'deny' });
  await (await limiter.reserve('ann')).cancel();
  proxy.replyDelayMs = LATE_MS;
  expect((await limiter.reserve('ann')).source).toBe('deny');
  proxy.replyDelayMs = 0;
  // The slot is freed when its reply is read, by a command on the same connection.
  await sleep(2 * LATE_MS);
  const reservation = await limiter.reserve('ann');
  expect({ source: reservation.source, allowed: reservation.allowed }).toEqual({ source: 'store', allowed: true });
  await reservation.cancel();
});
