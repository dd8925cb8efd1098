import '@sluice/core/calendars';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Charge,
  type ChargeCorrection,
  chargeOf,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limiter,
  MemoryStore,
  policyMetrics,
  replacePolicy,
  slidingWindow,
  unlimited,
} from '@sluice/core';
import { sent } from '@sluice/test-kit/charge-suite';
import { settled } from '@sluice/test-kit/manual-store';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { FragileStore } from './fragile-store.js';

const HOUR = slidingWindow({ limit: 100, window: '1h', name: 'hour' });

let clock: ManualClock;
let limiter: Limiter<string, false>;

beforeEach(() => {
  clock = new ManualClock();
  limiter = createLimiter({ name: 'api', limit: HOUR, store: new MemoryStore({ clock }) });
});

const left = (one: Limiter<string, false> = limiter): number => one.peek('ann').tightest.remaining;

const coded = (code: string, path?: string) => expect.objectContaining({ code, ...(path && { path }) });

describe('A charge as data', () => {
  it('is small, and JSON carries it', () => {
    const charge = chargeOf(limiter.reserve('ann', { cost: 30 })) as Charge;
    const atMs = clock.now();
    expect(sentBack(charge)).toEqual(charge);
    expect(charge).toEqual({
      policy: 'api',
      id: expect.any(String),
      atMs,
      untilMs: atMs + 3_600_000,
      local: expect.any(String),
      checks: [{ name: 'hour', key: 'ann', limit: HOUR, cost: 30 }],
    });
    expect(JSON.stringify(charge).length).toBeLessThan(400);
  });

  it('can be corrected until its end, and not a millisecond longer', () => {
    const [first, second] = [limiter.reserve('ann', { cost: 5 }), limiter.reserve('ann', { cost: 5 })];
    const charges = [first, second].map((one) => chargeOf(one, { expires: '10m' }) as Charge) as [Charge, Charge];
    clock.advance('10m');
    expect(limiter.correct(charges[0], { cancel: true })).toBe('applied');
    clock.advance(1);
    expect(limiter.correct(charges[1], { cancel: true })).toBe('expired');
    expect(limiter.correct(charges[0], {})).toBe('expired');
    expect(left()).toBe(95);
  });

  it('is charged more once, even if its window is long over', () => {
    const short = createLimiter({ name: 'short', limit: 100, window: '1s', store: new MemoryStore({ clock }) });
    const charge = chargeOf(short.reserve('ann', { cost: 5 })) as Charge;
    clock.advance('1m');
    expect(short.correct(charge, { actual: 25 })).toBe('applied');
    expect(left(short)).toBe(80);
    clock.advance('1m');
    expect(short.correct(charge, { actual: 25 })).toBe('repeated');
    expect([left(short), short.correct(chargeOf(short.reserve('ann')) as Charge, { cancel: true })]).toEqual([
      100,
      'applied',
    ]);
  });

  it('is expired if none of its units count any more', () => {
    const charge = chargeOf(limiter.reserve('ann', { cost: 5 }), { expires: '1d' }) as Charge;
    clock.advance('2h');
    expect(limiter.correct(charge, { cancel: true })).toBe('expired');
  });

  it('gives back the units of its own calendar day only', () => {
    const day = fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'Europe/Rome' } });
    const daily = createLimiter({ name: 'daily', limit: day, store: new MemoryStore({ clock }) });
    const [early, late] = [4, 5].map((cost) => chargeOf(daily.reserve('ann', { cost }), { expires: '1d' }) as Charge);
    expect(daily.correct(sentBack(early as Charge), { cancel: true })).toBe('applied');
    expect(left(daily)).toBe(5);
    clock.advance('23h');
    clock.advance('59m');
    daily.consume('ann', { cost: 2 });
    expect(daily.correct(sentBack(late as Charge), { cancel: true })).toBe('expired');
    expect(left(daily)).toBe(8);
  });

  it('gives a guaranteed part back with its limit, and charges nothing of what is guaranteed to others', () => {
    const shared = createLimiter<{ tenant: string }, false>({
      name: 'shared',
      store: new MemoryStore({ clock }),
      limit: slidingWindow({ limit: 100, window: '1h' }),
      keyGenerator: () => 'everyone',
      guarantee: { keyGenerator: ({ tenant }) => tenant, limit: 20, total: 60 },
    });
    const ann = { tenant: 'ann' };
    const state = () => shared.peek(ann).verdicts.map(({ remaining, used }) => [remaining, used]);
    const before = state();
    const charge = sent(shared.reserve(ann, { cost: 15 }));
    expect(charge.checks.map(({ itemName, countsAll }) => [itemName, countsAll])).toEqual([
      ['shared', false],
      ['shared', true],
      [undefined, undefined],
    ]);
    const reservation = shared.reserve(ann, { cost: 15 });
    reservation.settle(3);
    const settledState = state();
    expect(shared.correct(charge, { cancel: true })).toBe('applied');
    shared.refund(ann, { cost: 3 });
    expect([state(), settledState]).toEqual([before, expect.anything()]);
  });

  it('is counted as the reservation would be', () => {
    const charge = chargeOf(limiter.reserve('ann', { cost: 30 })) as Charge;
    const returned = () => policyMetrics().find(({ policy }) => policy === 'api')?.limits[0]?.unitsReturned ?? 0;
    const before = returned();
    limiter.correct(charge, { actual: 10 });
    limiter.correct(charge, { actual: 10 });
    expect(returned() - before).toBe(20);
  });

  it('ends with its reservation, whichever comes first', async () => {
    const reservation = limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    const charge = chargeOf(reservation) as Charge;
    clock.advance('1m');
    await settled();
    expect([left(), limiter.correct(charge, { cancel: true })]).toEqual([100, 'repeated']);
    reservation.settle(10);
    reservation.settle(10);
    expect(left()).toBe(90);
  });

  it('is renewed no more in the process that made it', async () => {
    const jobs = createLimiter({
      name: 'jobs',
      limit: concurrency({ limit: 1, lease: '30s' }),
      store: new MemoryStore({ clock }),
    });
    const charge = chargeOf(jobs.reserve('ann')) as Charge;
    for (let i = 0; i < 29; i += 1) {
      clock.advance('1s');
      await settled();
    }
    expect(left(jobs)).toBe(0);
    clock.advance('1s');
    await settled();
    expect(left(jobs)).toBe(1);
    jobs.reserve('ann');
    expect(jobs.correct(charge, { cancel: true })).toBe('expired');
    expect(left(jobs)).toBe(0);
  });

  it('leaves other slots of its store renewed', async () => {
    const jobs = createLimiter({
      name: 'jobs',
      limit: concurrency({ limit: 1, lease: '30s' }),
      store: new MemoryStore({ clock }),
    });
    jobs.reserve('bob');
    chargeOf(jobs.reserve('ann'));
    for (let i = 0; i < 60; i += 1) {
      clock.advance('1s');
      await settled();
    }
    expect(jobs.peek('bob').allowed).toBe(false);
  });

  it('does not exist for a refusal, an unlimited tier, and a decision without a store', async () => {
    const store = new FragileStore('by rejecting', 1, clock);
    const denied = createLimiter({ name: 'denied', limit: HOUR, store, onStoreError: 'allow' });
    store.failure = new Error('down');
    const free = createLimiter({ name: 'free', limit: unlimited(), store: new MemoryStore({ clock }) });
    expect([
      chargeOf(limiter.reserve('ann', { cost: 101 })),
      chargeOf(free.reserve('ann')),
      chargeOf(await denied.reserve('ann')),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('of a failed store is corrected by its own process alone', async () => {
    const owner = {};
    const store = new FragileStore('by rejecting', 4, clock);
    const options = { name: 'api', limit: HOUR, onStoreError: 'local' } as const;
    const here = createLimiter({ ...options, store }, owner);
    const there = createLimiter({ ...options, store: new FragileStore('by rejecting', 4, clock) });
    store.failure = new Error('down');
    const charge = sent(await here.reserve('ann', { cost: 20 }));
    expect((await here.peek('ann')).tightest).toMatchObject({ remaining: 5, limit: { quota: 25 } });
    await expect(there.correct(charge, { cancel: true })).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    expect(await here.correct(charge, { actual: 5 })).toBe('applied');
    expect(await here.correct(charge, { actual: 5 })).toBe('repeated');
    expect((await here.peek('ann')).tightest.remaining).toBe(20);
  });

  it('says so if the store fails while it is corrected, and can be corrected later', async () => {
    const store = new FragileStore('by rejecting', 1, clock);
    const remote = createLimiter({ name: 'api', limit: HOUR, store });
    const charge = sent(await remote.reserve('ann', { cost: 20 }));
    store.failure = new Error('down');
    await expect(remote.correct(charge, { cancel: true })).rejects.toThrow('down');
    store.failure = undefined;
    expect(await remote.correct(charge, { cancel: true })).toBe('applied');
    expect((await remote.peek('ann')).tightest.remaining).toBe(100);
  });

  it('of one memory is refused by another, and by a store that is shared', async () => {
    const charge = sent(limiter.reserve('ann'));
    const other = createLimiter({ name: 'api', limit: HOUR, store: new MemoryStore({ clock }) });
    expect(() => other.correct(charge, { cancel: true })).toThrow(coded('SLUICE_UNSUPPORTED'));
    const shared = createLimiter({ name: 'api', limit: HOUR, store: new FragileStore('by rejecting', 1, clock) });
    await expect(shared.correct(charge, { cancel: true })).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    const foreign = sent(await shared.reserve('ann'));
    expect(() => limiter.correct(foreign, { cancel: true })).toThrow(coded('SLUICE_UNSUPPORTED'));
  });

  it('of a limit that a new policy lacks is settled by its name', () => {
    const options = { name: 'two', limits: [HOUR], store: new MemoryStore({ clock }) };
    const two = createLimiter(options);
    const charge = chargeOf(two.reserve('ann', { cost: 30 })) as Charge;
    replacePolicy(options, { limit: slidingWindow({ limit: 5, window: '1m', name: 'minute' }) });
    expect(() => two.correct(charge, { actual: { day: 1 } })).toThrow(coded('SLUICE_OPTION', 'actual.day'));
    expect(two.correct(charge, { actual: { hour: 10 } })).toBe('applied');
    replacePolicy(options, { limits: [HOUR] });
    expect(left(two)).toBe(90);
  });

  const changed = (change: (charge: Record<string, unknown>) => void) => (charge: Charge) => {
    const copy = sentBack(charge) as unknown as Record<string, unknown>;
    change(copy);
    return copy as unknown as Charge;
  };
  const check = (own: object) =>
    changed((copy) => {
      Object.assign((copy.checks as object[])[0] as object, own);
    });

  it.each<[string, (charge: Charge) => Charge, string]>([
    ['of another policy', changed((copy) => (copy.policy = 'login')), 'charge.policy'],
    ['without an id', changed((copy) => delete copy.id), 'charge.id'],
    ['without checks', changed((copy) => (copy.checks = [])), 'charge.checks'],
    ['with a list as its checks', changed((copy) => (copy.checks = [[]])), 'charge.checks[0]'],
    ['with an end before its time', changed((copy) => (copy.untilMs = 0)), 'charge.untilMs'],
    ['that never ends', changed((copy) => (copy.untilMs = Number.MAX_SAFE_INTEGER)), 'charge.untilMs'],
    ['with an unknown member', changed((copy) => (copy.more = 1)), 'charge.more'],
    ['with a negative cost', check({ cost: -30 }), 'charge.checks[0].cost'],
    [
      'with a broken limit',
      check({ limit: { algorithm: 'sliding-window', quota: 1 } }),
      'charge.checks[0].limit.windowMs',
    ],
    ['with no limit', check({ limit: null }), 'charge.checks[0].limit'],
    ['with a key that is no text', check({ key: 7 }), 'charge.checks[0].key'],
    ['that is nothing', () => undefined as unknown as Charge, 'charge'],
    ['that is text', () => 'charge' as unknown as Charge, 'charge'],
  ])('%s is refused, and nothing changes', (_, alter, path) => {
    const charge = chargeOf(limiter.reserve('ann', { cost: 30 })) as Charge;
    expect(() => limiter.correct(alter(charge), { cancel: true })).toThrow(coded('SLUICE_OPTION', path));
    expect(limiter.correct(charge, {})).toBe('applied');
    expect(left()).toBe(70);
  });

  it.each<[ChargeCorrection, string, string | undefined]>([
    [{ actual: -1 }, 'SLUICE_COST', undefined],
    [{ actual: 1.5 }, 'SLUICE_COST', undefined],
    [{ actual: { day: 1 } }, 'SLUICE_OPTION', 'actual.day'],
    [{ actual: [1] as never }, 'SLUICE_OPTION', 'actual'],
    [{ actual: 1, cancel: true }, 'SLUICE_OPTION', 'actual'],
    [{ cancel: false as true }, 'SLUICE_OPTION', 'cancel'],
    [{ id: 'a' } as ChargeCorrection, 'SLUICE_OPTION', 'id'],
    [undefined as unknown as ChargeCorrection, 'SLUICE_OPTION', 'options'],
  ])('is not corrected by %o', (correction, code, path) => {
    const charge = chargeOf(limiter.reserve('ann', { cost: 30 })) as Charge;
    expect(() => limiter.correct(charge, correction)).toThrow(coded(code, path));
    expect(limiter.correct(charge, {})).toBe('applied');
    expect(left()).toBe(70);
  });

  it.each<[() => unknown, string]>([
    [() => chargeOf(limiter.consume('ann') as never), 'reservation'],
    [() => chargeOf(null as never), 'reservation'],
    [() => chargeOf(limiter.reserve('ann'), { expires: '2d' }), 'expires'],
    [() => chargeOf(limiter.reserve('ann'), { expires: 0 }), 'expires'],
    [() => limiter.consume('ann', { id: '' }), 'id'],
    [() => limiter.consume('ann', { id: 'x'.repeat(257) }), 'id'],
    [() => limiter.consume('ann', { rememberFor: '1m' }), 'rememberFor'],
    [() => limiter.reserve('ann', { id: 'a', rememberFor: '25h' }), 'rememberFor'],
    [() => limiter.peek('ann', { id: 7 as never }), 'id'],
    [() => limiter.charge('ann', { id: 'a' } as never), 'id'],
  ])('needs what it says: case %#', (call, path) => {
    expect(call).toThrow(coded('SLUICE_OPTION', path));
  });
});

function sentBack(charge: Charge): Charge {
  return JSON.parse(JSON.stringify(charge)) as Charge;
}
