import '@sluice/core/calendars';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  boundOf,
  type Charge,
  chargeOf,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  type PolicyOptions,
  SluiceError,
  type SluiceEvents,
  slidingWindow,
  subscribe,
  tokenBucket,
} from '@sluice/core';
import { settled } from '@sluice/test-kit/manual-store';
import { type Failing, FragileStore } from './fragile-store.js';

const failure = new Error('connection lost');
const ways: readonly Failing[] = ['by throwing', 'by rejecting'];

let stop: (() => void) | undefined;

function storeErrors(): SluiceEvents['sluice:store-error'][] {
  const messages: SluiceEvents['sluice:store-error'][] = [];
  stop = subscribe('sluice:store-error', (message) => messages.push(message));
  return messages;
}

const stores: FragileStore[] = [];

afterEach(() => {
  stop?.();
  // An open breaker is probed for ever, and its events reach the whole process.
  for (const store of stores.splice(0)) store.failure = undefined;
});

function world(failing: Failing, options: PolicyOptions<[subject: string]>, instances = 1) {
  const store = new FragileStore(failing, instances);
  stores.push(store);
  return { store, limiter: createLimiter({ ...options, store }) };
}

const ten = { limit: 10, window: '1m' } as const;

describe.each(ways)('When the store fails %s', (failing) => {
  it("counts in this process by default: source 'local'", async () => {
    const { store, limiter } = world(failing, ten);
    store.failure = failure;
    const decision = await limiter.consume('ann', { cost: 4 });
    expect(decision).toMatchObject({ allowed: true, source: 'local', tightest: { name: 'per-1m', remaining: 6 } });
    expect(await limiter.consume('ann', { cost: 7 })).toMatchObject({ allowed: false, source: 'local' });
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', tightest: { remaining: 6 } });
    expect(await limiter.reserve('bob')).toMatchObject({ allowed: true, source: 'local' });
    expect(await limiter.wait('bob')).toMatchObject({ allowed: true, source: 'local' });
  });

  it("admits with 'allow', with nothing counted", async () => {
    const { store, limiter } = world(failing, { ...ten, onStoreError: 'allow' });
    store.failure = failure;
    for (let i = 0; i < 3; i += 1) {
      expect(await limiter.consume('ann', { cost: 10 })).toMatchObject({
        allowed: true,
        retryAfterMs: 0,
        source: 'allow',
        tightest: { name: 'per-1m', limit: { quota: 10 }, remaining: 10 },
      });
    }
  });

  it("keeps a shadow limit one with 'allow', so that the enforced one is the tightest", async () => {
    const shadow = slidingWindow({ name: 'trial', limit: 1, window: '1m' });
    const limits = [{ limit: shadow, enforce: 0 }, { limit: slidingWindow({ name: 'real', limit: 10, window: '1m' }) }];
    const { store, limiter } = world(failing, { limits, onStoreError: 'allow' });
    store.failure = failure;
    const decision = await limiter.consume('ann');
    expect(decision).toMatchObject({ allowed: true, shadowed: false, tightest: { name: 'real' } });
    expect(decision.verdicts.map(({ shadow: isShadow }) => isShadow)).toEqual([true, undefined]);
  });

  it("refuses with 'deny', with a retry after one second", async () => {
    const { store, limiter } = world(failing, { ...ten, onStoreError: 'deny' });
    store.failure = failure;
    expect(await limiter.consume('ann')).toMatchObject({
      allowed: false,
      retryAfterMs: 1000,
      source: 'deny',
      tightest: { allowed: false, remaining: 0 },
    });
  });

  it("allows only shadow limits with 'deny'", async () => {
    const { store, limiter } = world(failing, { ...ten, enforce: 0, onStoreError: 'deny' });
    store.failure = failure;
    expect(await limiter.consume('ann')).toMatchObject({ allowed: true, shadowed: true, source: 'deny' });
  });

  it.each(['local', 'allow', 'deny'] as const)(
    'publishes it, with the error and the source of the decision: %s',
    async (source) => {
      const { store, limiter } = world(failing, { name: 'api', ...ten, onStoreError: source });
      store.failure = failure;
      const messages = storeErrors();
      await limiter.consume('ann');
      expect(messages).toEqual([{ error: failure, policy: 'api', source }]);
    },
  );

  it.each(['local', 'allow', 'deny'] as const)(
    'recovers by itself when the store has recovered: %s',
    async (onStoreError) => {
      const { store, limiter } = world(failing, { limit: slidingWindow(ten), onStoreError });
      await limiter.consume('ann', { cost: 3 });
      store.failure = failure;
      await limiter.consume('ann');
      store.failure = undefined;
      expect(await limiter.consume('ann')).toMatchObject({
        allowed: true,
        source: 'store',
        tightest: { remaining: 6 },
      });
    },
  );

  it('continues the local counts of the last failure', async () => {
    const { store, limiter } = world(failing, ten);
    store.failure = failure;
    await limiter.consume('ann', { cost: 6 });
    store.failure = undefined;
    await limiter.consume('ann');
    store.failure = failure;
    expect((await limiter.peek('ann')).tightest.remaining).toBe(4);
  });

  it('admits no more through several limiters of one options object than through one, nor than boundOf says', async () => {
    const limit = slidingWindow(ten);
    const { store } = world(failing, { limit: 1, window: '1m', name: 'other' }, 2);
    const options: PolicyOptions<[subject: string]> = { name: 'shared', limit, store };
    const limiters = Array.from({ length: 4 }, () => createLimiter(options));
    let admitted = 0;
    const askAll = async (): Promise<void> => {
      for (const limiter of limiters) {
        for (let i = 0; i < 10; i += 1) if ((await limiter.consume('ann')).allowed) admitted += 1;
      }
    };
    await askAll();
    expect(admitted).toBe(10);
    // A refusal of a remote store is remembered for a tenth of a second.
    store.clock.advance('200ms');
    store.failure = failure;
    await askAll();
    expect(admitted).toBe(15);
    expect(admitted).toBeLessThanOrEqual(boundOf(limit, '1m', { instances: 2 }));
  });

  it('resets through one limiter what another of the same options object counted locally', async () => {
    const { store } = world(failing, { limit: 1, window: '1m', name: 'other' });
    const options: PolicyOptions<[subject: string]> = { name: 'shared', ...ten, store };
    const [one, other] = [createLimiter(options), createLimiter(options)];
    store.failure = failure;
    await one.consume('ann', { cost: 10 });
    expect((await other.peek('ann')).tightest.remaining).toBe(0);
    await expect((async () => other.reset('ann'))()).rejects.toMatchObject({ code: 'SLUICE_STORE', cause: failure });
    expect((await one.peek('ann')).tightest.remaining).toBe(10);
  });

  it('counts policies with different names separately, also locally', async () => {
    const { store, limiter } = world(failing, ten);
    const other = createLimiter({ name: 'other', limits: [ten], store });
    store.failure = failure;
    await limiter.consume('ann', { cost: 10 });
    expect((await other.peek('ann')).tightest.remaining).toBe(10);
  });

  it.each<[what: string, limit: Limit, instances: number, remaining: number]>([
    ['a share of the limit', slidingWindow(ten), 3, 3],
    ['at least one', slidingWindow(ten), 50, 0],
    ['a share of the slots', concurrency({ limit: 10, lease: '30s' }), 5, 1],
    ['a share of the capacity', tokenBucket({ capacity: 10, refillRate: 1 }), 2, 4],
  ])('gives each instance %s', async (_, limit, instances, remaining) => {
    const { store, limiter } = world(failing, { limit }, instances);
    store.failure = failure;
    expect(await limiter.reserve('ann')).toMatchObject({ allowed: true, tightest: { remaining } });
  });

  it('divides a rate exactly', async () => {
    const { store, limiter } = world(failing, { limit: tokenBucket({ capacity: 4, refillRate: 1 }) }, 4);
    store.failure = failure;
    await limiter.consume('ann');
    expect((await limiter.consume('ann')).retryAfterMs).toBe(4000);
  });

  it('keeps a limit of 0 at 0', async () => {
    const { store, limiter } = world(failing, { ...ten, limit: 0 }, 4);
    store.failure = failure;
    expect(await limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('charges a cost above the share as the whole share, and one above the limit never fits', async () => {
    const { store, limiter } = world(failing, ten, 5);
    store.failure = failure;
    expect(await limiter.consume('ann', { cost: 9 })).toMatchObject({ allowed: true, tightest: { remaining: 0 } });
    expect(await limiter.consume('bob', { cost: 11 })).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it.each<[how: string, actual: number, remaining: number]>([
    ['as estimated, which is the share already', 9, 0],
    ['above the share', 7, 0],
    ['at the share', 2, 0],
    ['below the share', 1, 1],
  ])('settles a charge that was capped at the share %s', async (_, actual, remaining) => {
    const { store, limiter } = world(failing, ten, 5);
    store.failure = failure;
    await (await limiter.reserve('ann', { cost: 9 })).settle(actual);
    expect((await limiter.peek('ann')).tightest.remaining).toBe(remaining);
    expect((await limiter.consume('ann', { cost: 0 })).allowed).toBe(true);
  });

  it('settles and cancels in the store that granted, even if the other one decides meanwhile', async () => {
    const { store, limiter } = world(failing, {
      limits: [slidingWindow(ten), concurrency({ limit: 3, lease: '30s' })],
    });
    const remaining = async (): Promise<number[]> =>
      (await limiter.peek('ann')).verdicts.map((verdict) => verdict.remaining);
    store.failure = failure;
    const local = await limiter.reserve('ann', { cost: 4 });
    store.failure = undefined;
    const remote = await limiter.reserve('ann', { cost: 5 });
    expect(await remaining()).toEqual([5, 2]);
    await local.cancel();
    expect(await remaining()).toEqual([5, 2]);
    await remote.cancel();
    expect(await remaining()).toEqual([10, 3]);
    store.failure = failure;
    expect(await remaining()).toEqual([10, 3]);
  });

  it('renews a slot with the store that granted it', async () => {
    const { store, limiter } = world(failing, { limit: concurrency({ limit: 1, lease: '30s' }) });
    store.failure = failure;
    const local = await limiter.reserve('ann');
    store.failure = undefined;
    for (let i = 0; i < 9; i += 1) {
      await store.clock.untilSleeping(1);
      store.clock.advance('10s');
      await settled();
    }
    expect((await limiter.peek('ann')).allowed).toBe(true);
    store.failure = failure;
    expect((await limiter.peek('ann')).allowed).toBe(false);
    await local.settle();
    expect((await limiter.peek('ann')).allowed).toBe(true);
  });

  it('ignores units that cannot be given back, publishes the failure, and does not fail the request', async () => {
    const { store, limiter } = world(failing, { name: 'api', limits: [slidingWindow(ten)] });
    const reservation = await limiter.reserve('ann', { cost: 4 });
    store.failure = failure;
    const messages = storeErrors();
    await expect((async () => reservation.cancel())()).resolves.toBeUndefined();
    await expect((async () => limiter.refund('ann'))()).resolves.toMatchObject({ allowed: true, source: 'local' });
    expect(messages).toEqual([1, 2].map(() => ({ error: failure, policy: 'api', source: 'local' })));
    store.failure = undefined;
    expect((await limiter.peek('ann')).tightest.remaining).toBe(6);
  });

  it('is not asked to settle a correct charge', async () => {
    const { store, limiter } = world(failing, ten);
    const reservations = [await limiter.reserve('ann'), await limiter.reserve('ann', { cost: 4 })];
    store.failure = failure;
    const messages = storeErrors();
    await reservations[0]?.settle();
    await reservations[1]?.settle(4);
    expect(messages).toEqual([]);
  });

  it.each([
    ['local', { allowed: false, tightest: { cost: 1, remaining: 0, used: 5, limit: { quota: 5 } } }],
    ['allow', { allowed: true, tightest: { cost: 1, remaining: 10, used: 0, limit: { quota: 10 } } }],
    ['deny', { allowed: false, retryAfterMs: 1000, tightest: { cost: 1, remaining: 0, used: 0 } }],
  ] as const)('returns for a charge the result of onStoreError: %s', async (source, answer) => {
    const { store, limiter } = world(failing, { ...ten, onStoreError: source }, 2);
    store.failure = failure;
    expect(await limiter.charge('ann', { cost: 6 })).toMatchObject({ source, ...answer });
    expect(await limiter.refund('ann', { cost: 6 })).toMatchObject({ source, ...answer });
    store.failure = undefined;
    expect(await limiter.peek('ann')).toMatchObject({ source: 'store', tightest: { used: 0 } });
  });

  it('charges units locally that the store could not record', async () => {
    const { store, limiter } = world(failing, ten);
    const reservation = await limiter.reserve('ann', { cost: 1 });
    store.failure = failure;
    await reservation.settle(4);
    await limiter.charge('ann', { cost: 2 });
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', tightest: { remaining: 5 } });
  });

  it('charges units of an earlier calendar hour locally in the current hour', async () => {
    const limit = fixedWindow({ limit: 10, window: { unit: 'hour', timeZone: 'UTC' } });
    const { store, limiter } = world(failing, { limit });
    const reservation = await limiter.reserve('ann', { cost: 1 });
    store.clock.advance('5h');
    store.failure = failure;
    await reservation.settle(4);
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', tightest: { remaining: 7 } });
  });

  it("corrects nothing if nothing was charged: 'allow' and 'deny'", async () => {
    for (const onStoreError of ['allow', 'deny'] as const) {
      const { store, limiter } = world(failing, { limit: slidingWindow(ten), onStoreError });
      store.failure = failure;
      const reservation = await limiter.reserve('ann', { cost: 4 });
      store.failure = undefined;
      await reservation.settle(9);
      await reservation.cancel();
      expect((await limiter.peek('ann')).tightest.remaining).toBe(10);
    }
  });

  it('fails a reset, but still removes the key locally', async () => {
    const { store, limiter } = world(failing, ten);
    store.failure = failure;
    await limiter.consume('ann', { cost: 10 });
    await expect((async () => limiter.reset('ann'))()).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    expect((await limiter.peek('ann')).tightest.remaining).toBe(10);
  });

  it.each<[verb: string, call: (limiter: Limiter, charge: Charge) => unknown]>([
    ['reset', (limiter) => limiter.reset('ann')],
    ['block', (limiter) => limiter.block('ann', '1h')],
    ['unblock', (limiter) => limiter.unblock('ann')],
    ['blocked', (limiter) => limiter.blocked()],
    ['inspect', (limiter) => limiter.inspect('ann')],
    ['correct', (limiter, charge) => limiter.correct(charge, { cancel: true })],
  ])('fails %s with a code, and with the error of the store as its cause', async (_, call) => {
    const { store, limiter } = world(failing, ten);
    const charge = chargeOf(await limiter.reserve('ann')) as Charge;
    store.failure = failure;
    const failed = (async () => call(limiter, charge))();
    await expect(failed).rejects.toMatchObject({ name: 'SluiceError', code: 'SLUICE_STORE', cause: failure });
  });

  it.each(['local', 'allow', 'deny'] as const)('hides no mistake: %s', async (onStoreError) => {
    const { store, limiter } = world(failing, { limit: concurrency({ limit: 1, lease: '30s' }), onStoreError });
    const messages = storeErrors();
    await expect((async () => limiter.consume('ann'))()).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    store.failure = new SluiceError('SLUICE_CLOSED', 'the store was closed');
    await expect((async () => limiter.reserve('ann'))()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(messages).toEqual([]);
    store.failure = new SluiceError('SLUICE_STORE', 'the answer came after its deadline');
    expect(await limiter.reserve('ann')).toMatchObject({ source: onStoreError });
  });

  it('waits in the process while the store fails, and in the store when it has recovered', async () => {
    const { store, limiter } = world(failing, { limit: 1, window: '1m' });
    store.failure = failure;
    await limiter.consume('ann');
    const waiting = limiter.wait('ann');
    await store.clock.untilSleeping(1);
    store.failure = undefined;
    store.clock.advance('1m');
    await expect(waiting).resolves.toMatchObject({ allowed: true, source: 'store' });
  });
});
