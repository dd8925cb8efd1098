import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type CustomerRule, compilePolicy, type PolicyFile, type PolicyRule, tierOf } from '@sluice/config';
import { createLimiter, fixedWindow, MemoryStore } from '@sluice/core';
import { headerKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import { aFile, aRequest, LIMIT, perMinute } from './a-file.js';

const START_MS = Date.UTC(2026, 0, 1);

type Context = Partial<Parameters<typeof compilePolicy>[2]>;

/** A limiter of the policy `api`. */
function limited(file: PolicyFile, context: Context = {}) {
  const clock = new ManualClock(START_MS);
  const store = new MemoryStore({ clock });
  const limiter = createLimiter(compilePolicy(file, 'api', { ...context, store }));
  const quota = (...request: Parameters<typeof aRequest>): number =>
    limiter.peek(aRequest(...request)).tightest.limit.quota;
  return { clock, store, limiter, quota };
}

const key = (value: string) => ({ 'x-api-key': value });
const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const customer = (rule: Partial<CustomerRule>): CustomerRule => ({
  tier: undefined,
  overrides: new Map(),
  block: undefined,
  ...rule,
});
const customers = (rules: Record<string, Partial<CustomerRule>>): Partial<PolicyFile> => ({
  customers: new Map(Object.entries(rules).map(([name, rule]) => [name, customer(rule)])),
});
const override = (limit: number, untilMs = Number.POSITIVE_INFINITY) => ({
  overrides: new Map([['minute', { limit: perMinute(limit), untilMs, reason: undefined }]]),
});

describe('functions for any name', () => {
  it('stand in for records of keys, tiers and costs', () => {
    const asked: string[] = [];
    const { limiter, quota } = limited(
      aFile({
        key: ['user'],
        tier: { from: 'code', default: 'free' },
        cost: { from: 'code', min: 1, max: 9, default: 1 },
      }),
      {
        keys: (name) => {
          asked.push(`key ${name}`);
          return () => ['user', 'ann'];
        },
        tiers: (name) => {
          asked.push(`tier ${name}`);
          return () => 'pro';
        },
        costs: (name) => {
          asked.push(`cost ${name}`);
          return () => 4;
        },
      },
    );
    expect(quota()).toBe(10);
    expect(limiter.consume(aRequest())).toMatchObject({ tightest: { used: 4 } });
    expect(limiter.consume(aRequest({}, '203.0.113.8'))).toMatchObject({ tightest: { used: 8 } });
    expect(new Set(asked)).toEqual(new Set(['key user', 'tier api', 'cost api']));
  });

  it('are refused like records if they have no function for a name', () => {
    const context = { keys: () => undefined };
    expect(() => limited(aFile({ key: ['user'] }), context)).toThrow('keys["user"] must be a function');
  });
});

describe('keys of a policy file', () => {
  it('count by a header field, as byHeader does', () => {
    const { limiter } = limited(aFile());
    for (const allowed of [true, true, true, false]) expect(limiter.consume(aRequest(key('a'))).allowed).toBe(allowed);
    expect(limiter.consume(aRequest(key('b'))).allowed).toBe(true);
    limiter.reset(headerKey('x-api-key', 'a'));
    expect(limiter.consume(aRequest(key('a'))).allowed).toBe(true);
  });

  it('count a request without the header by its address', () => {
    const { limiter } = limited(aFile());
    for (const allowed of [true, true, true, false]) expect(limiter.consume(aRequest()).allowed).toBe(allowed);
    expect(limiter.consume(aRequest({}, '203.0.113.8')).allowed).toBe(true);
  });

  it('count addresses of one IPv6 subnet together', () => {
    const { limiter } = limited(aFile({ key: ['client'] }));
    for (let i = 1; i <= 3; i += 1) limiter.consume(aRequest({}, `2001:db8::${i}`));
    expect(limiter.consume(aRequest({}, '2001:db8::9')).allowed).toBe(false);
    expect(limiter.consume(aRequest({}, '2001:db9::9')).allowed).toBe(true);
  });

  it('come from a function of the code, which gets what the framework passes', () => {
    const keys = { user: (request: object) => (request as { user?: string }).user };
    const { limiter } = limited(aFile({ key: ['user'] }), { keys });
    const ask = (user: string | undefined): boolean => limiter.consume({ ...aRequest(), user } as object).allowed;
    expect([ask('ann'), ask('ann'), ask('ann'), ask('ann'), ask('bob'), ask(undefined)]).toEqual([
      ...[true, true, true, false],
      ...[true, true],
    ]);
  });

  it('count all together for everyone', () => {
    const { limiter } = limited(aFile({ key: ['all'] }));
    for (const name of ['a', 'b', 'c']) limiter.consume(aRequest(key(name)));
    expect(limiter.consume(aRequest(key('d'))).allowed).toBe(false);
  });

  it('make a compound key, and differ from limit to limit', () => {
    const own = { ...LIMIT, tiered: false };
    const file = aFile({
      limits: [
        { ...own, name: 'pair', limit: perMinute(2), key: ['customer', 'client'] },
        { ...own, name: 'address', limit: perMinute(3), key: ['client'] },
      ],
    });
    const { limiter } = limited(file);
    const asked = ['a', 'a', 'a', 'b', 'c'].map((name) => limiter.consume(aRequest(key(name))).allowed);
    expect(asked).toEqual([true, true, false, true, false]);
  });

  it('are read from a request that an argument carries', () => {
    const { limiter } = limited(aFile());
    const carried = { [Symbol.for('sluice.request')]: aRequest(key('a')) };
    expect(limiter.consume(carried).tightest.used).toBe(1);
    expect(limiter.consume(aRequest(key('a'))).tightest.used).toBe(2);
  });

  it('need no header fields: a request that an application makes up is one without a key', () => {
    const { limiter } = limited(aFile());
    const madeUp = [{ ip: '203.0.113.7' }, { ip: '203.0.113.7', method: 'POST', url: '/batch' }];
    for (const request of madeUp) limiter.consume(request as never);
    expect(limiter.consume(aRequest()).tightest.used).toBe(3);
  });

  it('refuse an argument that is no request', () => {
    const { limiter } = limited(aFile());
    expect(() => limiter.consume({ name: 'ann' })).toThrow(
      'a policy of a file reads requests: pass one with method, url, headers and ip, got an object (SLUICE_KEY)',
    );
  });
});

describe('customers of a policy file', () => {
  it.each([
    ['a customer without a tier', {}, 3],
    ["the customer's tier", { tier: 'pro' }, 10],
    ["the customer's override before the tier", { tier: 'pro', ...override(7) }, 7],
    ['an override that has ended', { tier: 'pro', ...override(7, START_MS) }, 10],
  ])('have the limit of %s', (_, rule: Partial<CustomerRule>, expected) => {
    const { quota } = limited(aFile({}, customers({ acme: rule })));
    expect(quota(key('acme'))).toBe(expected);
    expect(quota(key('other'))).toBe(3);
  });

  it('are found by the hash of their key, which is no key itself', () => {
    const { quota } = limited(aFile({}, customers({ [sha256('secret')]: { tier: 'pro' } })));
    expect(quota(key('secret'))).toBe(10);
    expect(quota(key(sha256('secret')))).toBe(3);
    expect(quota(key('__proto__'))).toBe(3);
  });

  it('are found among more callers than are remembered, with keys of any length', () => {
    const long = 'k'.repeat(300);
    const { quota } = limited(aFile({}, customers({ acme: { tier: 'pro' }, [long]: { tier: 'pro' } })));
    for (let i = 0; i < 9_000; i += 1) {
      if (i % 1_000 === 0) expect([quota(key('acme')), quota(key(long)), quota(key(`${long}k`))]).toEqual([10, 10, 3]);
      expect(quota(key(`other${i}`))).toBe(3);
    }
  });

  it('are found by address, and by a key of the code', () => {
    const rules = customers({ '203.0.113.7': { tier: 'pro' }, '2001:db8::/56': { tier: 'pro' }, 42: { tier: 'pro' } });
    const byAddress = limited(aFile({ key: ['client'] }, rules));
    expect(byAddress.quota()).toBe(10);
    expect(byAddress.quota({}, '2001:db8::1')).toBe(10);
    expect(byAddress.quota({}, '203.0.113.8')).toBe(3);
    expect(limited(aFile({ key: ['user'] }, rules), { keys: { user: () => 42 } }).quota()).toBe(10);
  });

  it('lose an override at its time, by the clock of the store and without a timer', () => {
    const { clock, quota } = limited(aFile({}, customers({ acme: override(7, START_MS + 60_000) })));
    expect(quota(key('acme'))).toBe(7);
    clock.advance(59_999);
    expect(quota(key('acme'))).toBe(7);
    clock.advance(1);
    expect(quota(key('acme'))).toBe(3);
  });

  it('keep what they spent when their limit changes', () => {
    const { clock, limiter } = limited(aFile({}, customers({ acme: override(7, START_MS + 1_000) })));
    for (let i = 0; i < 5; i += 1) limiter.consume(aRequest(key('acme')));
    clock.advance(1_000);
    expect(limiter.consume(aRequest(key('acme')))).toMatchObject({ allowed: false, tightest: { used: 5 } });
  });

  it('are refused with 403 while they are blocked, before anything is spent', () => {
    const block = { reason: 'scraping', untilMs: START_MS + 1_000 };
    const { clock, limiter } = limited(aFile({}, customers({ mallory: { block, ...override(9) } })));
    const refused = (): unknown => limiter.consume(aRequest(key('mallory')));
    expect(refused).toThrow(expect.objectContaining({ refusal: expect.objectContaining({ status: 403 }) }));
    expect(() => refused()).not.toThrow(/scraping/);
    clock.advance(1_000);
    expect(limiter.consume(aRequest(key('mallory'))).tightest).toMatchObject({ used: 1, limit: { quota: 9 } });
  });

  it('that nobody listed count by address, or are refused with 401', () => {
    const known = customers({ acme: { tier: 'pro' } });
    const { limiter } = limited(aFile({ unknownCustomer: 'address' }, known));
    for (const name of ['a', 'b', 'c']) expect(limiter.consume(aRequest(key(name))).allowed).toBe(true);
    expect(limiter.consume(aRequest(key('d'))).allowed).toBe(false);
    expect(limiter.consume(aRequest(key('acme'))).allowed).toBe(true);

    const strict = limited(aFile({ unknownCustomer: 'refuse' }, known)).limiter;
    for (const headers of [key('a'), {}]) {
      const refusal = expect.objectContaining({ refusal: expect.objectContaining({ status: 401 }) });
      expect(() => strict.consume(aRequest(headers))).toThrow(refusal);
    }
    expect(strict.consume(aRequest(key('acme'))).allowed).toBe(true);
  });

  it('get the same Limit objects again and again', () => {
    const rules = customers({ acme: { tier: 'pro' }, bob: override(7) });
    const policy = compilePolicy(aFile({}, rules), 'api', { store: new MemoryStore() });
    const limit = policy.limits[0]?.limit as (request: object) => object;
    for (const name of ['acme', 'bob', 'other']) {
      const first = limit(aRequest(key(name)));
      limit(aRequest(key('someone')));
      expect(limit(aRequest(key(name)))).toBe(first);
    }
  });

  it('leave a limit static if they cannot change it', () => {
    const limitOf = (file: PolicyFile) => compilePolicy(file, 'api', { store: new MemoryStore() }).limits[0]?.limit;
    expect(typeof limitOf(aFile())).toBe('object');
    expect(typeof limitOf(aFile({}, customers({ acme: { tier: 'pro' } })))).toBe('function');
  });
});

describe('tiers of a policy file', () => {
  it('come from a function of the code, and fall back to the default', () => {
    const tiers = { api: (request: object) => (request as { plan?: string }).plan };
    const { limiter } = limited(aFile({ tier: { from: 'code', default: 'free' } }), { tiers });
    const quota = (plan: string | undefined): number =>
      limiter.peek({ ...aRequest(key('a')), plan } as object).tightest.limit.quota;
    expect([quota('pro'), quota('free'), quota(undefined), quota('no such tier')]).toEqual([10, 3, 3, 3]);
  });

  it('are told of a limit', () => {
    const { limiter } = limited(aFile({}, customers({ acme: { tier: 'pro' }, bob: override(7) })));
    const tier = (name: string) => tierOf(limiter.peek(aRequest(key(name))).tightest.limit);
    expect([tier('acme'), tier('bob'), tier('other')]).toEqual(['pro', undefined, 'free']);
  });

  it('come from a header only if the connection is that of a trusted sender', () => {
    const tier = { from: 'header', header: 'X-Plan', default: 'free', trustedFrom: ['10.0.0.0/8'] } as const;
    const { limiter } = limited(aFile({ tier }));
    const quota = (headers: Record<string, string>, peer: string, ip = '203.0.113.7'): number =>
      limiter.peek({ ...aRequest({ ...key('a'), ...headers }, ip), socket: { remoteAddress: peer } } as object).tightest
        .limit.quota;
    expect(quota({ 'x-plan': 'pro' }, '10.1.2.3')).toBe(10);
    expect(quota({ 'x-plan': 'unheard of' }, '10.1.2.3')).toBe(3);
    expect(quota({}, '10.1.2.3')).toBe(3);
    expect(quota({ 'x-plan': 'pro' }, '203.0.113.7')).toBe(3);
    // A client can write X-Forwarded-For, from which frameworks read `ip`.
    expect(quota({ 'x-plan': 'pro' }, '203.0.113.7', '10.1.2.3')).toBe(3);
    expect(quota({ 'x-plan': 'pro' }, '::ffff:10.1.2.3')).toBe(10);
  });

  it('do not come from a header if the connection has ended, and with it the address of the sender', () => {
    const tier = { from: 'header', header: 'X-Plan', default: 'free', trustedFrom: ['10.0.0.0/8'] } as const;
    const { limiter } = limited(aFile({ tier }));
    const request = { ...aRequest({ 'x-plan': 'pro' }, '10.1.2.3'), socket: new Socket() };
    expect(request.socket.remoteAddress).toBeUndefined();
    expect(limiter.peek(request).tightest.limit.quota).toBe(3);
    expect(limiter.peek({ ...request, socket: {} } as object).tightest.limit.quota).toBe(10);
  });

  it('without a limit of this name do not have it', () => {
    const tiers = new Map([['free', new Map([['day', fixedWindow({ limit: 5, window: '1d' })]])]]);
    expect(limited(aFile({}, { tiers })).limiter.consume(aRequest()).tightest.limit.algorithm).toBe('unlimited');
  });
});

describe('the cost of a policy file', () => {
  const header = { from: 'header', header: 'X-Cost', min: 1, max: 5, default: 2, trustedFrom: ['10.0.0.1'] } as const;

  it.each([
    ['3', 3],
    [' 3 ', 3],
    ['0', 1],
    ['9', 5],
    ['99999999999999999999', 5],
    ['00000000000000000004', 4],
    ['9'.repeat(400), 5],
    ['1e3', 2],
    ['0x3', 2],
    ['3, 3', 2],
    ['-1', 2],
    ['1.5', 2],
    ['', 2],
    [undefined, 2],
  ])('of a trusted header %p is %d', (value, expected) => {
    const { limiter } = limited(aFile({ cost: header }, { tiers: new Map([['free', new Map()]]) }));
    const headers = value === undefined ? {} : { 'x-cost': value };
    expect(limiter.consume(aRequest(headers, '10.0.0.1')).tightest.cost).toBe(expected);
    expect(limiter.consume(aRequest(headers, '10.0.0.2')).tightest.cost).toBe(2);
  });

  it.each([
    [3, 3],
    [0, 1],
    [9, 5],
    [undefined, 2],
  ])('of code %p is %d', (units, expected) => {
    const cost = { from: 'code', min: 1, max: 5, default: 2 } as const;
    const { limiter } = limited(aFile({ cost }, { tiers: new Map([['free', new Map()]]) }), {
      costs: { api: () => units },
    });
    expect(limiter.consume(aRequest()).tightest.cost).toBe(expected);
  });

  it('is an error if code returns no number', () => {
    const cost = { from: 'code', min: 1, max: 5, default: 2 } as const;
    const { limiter } = limited(aFile({ cost }), { costs: { api: () => Number.NaN } });
    expect(() => limiter.consume(aRequest())).toThrow('SLUICE_COST');
  });

  it('may be that of one limit', () => {
    const cost = { from: 'code', min: 1, max: 100, default: 1 } as const;
    const own = { ...LIMIT, tiered: false };
    const limits: PolicyRule['limits'] = [
      { ...own, limit: perMinute(10) },
      { ...own, name: 'tokens', limit: perMinute(100), cost },
    ];
    const { limiter } = limited(aFile({ limits }), { costs: { 'api.tokens': () => 40 } });
    expect(limiter.consume(aRequest()).verdicts.map(({ cost }) => cost)).toEqual([1, 40]);
  });
});

describe('address lists of a policy file', () => {
  const lists = { allowList: ['10.0.0.0/8'], denyList: ['10.9.0.0/16', '203.0.113.8'] };
  const blocked = customers({ mallory: { block: { reason: undefined, untilMs: Number.POSITIVE_INFINITY } } });

  it('exempt an address from everything, and refuse one with 403', () => {
    const { limiter } = limited(
      aFile({ ...lists, limits: [{ ...LIMIT, tiered: false, limit: perMinute(0) }] }, blocked),
    );
    expect(limiter.consume(aRequest(key('mallory'), '10.1.2.3'))).toMatchObject({ allowed: true });
    expect(limiter.consume(aRequest({}, '203.0.113.7')).allowed).toBe(false);
    const refusal = expect.objectContaining({ refusal: expect.objectContaining({ status: 403 }) });
    for (const ip of ['10.9.0.1', '203.0.113.8']) expect(() => limiter.consume(aRequest({}, ip))).toThrow(refusal);
  });

  it('refuse nothing in shadow', () => {
    const { limiter } = limited(aFile(lists, { enforcement: 'shadow' }));
    expect(limiter.consume(aRequest({}, '203.0.113.8')).allowed).toBe(true);
  });
});

describe('further options of a limit in a policy file', () => {
  const limit = { ...LIMIT, tiered: false, limit: perMinute(4) };

  it('are those of the core', () => {
    const slowDown = { after: 1, by: 100, upTo: 150 };
    const { limiter } = limited(aFile({ limits: [{ ...limit, quotaUnit: 'tokens', tolerance: 0.5, slowDown }] }));
    const decisions = Array.from({ length: 7 }, () => limiter.consume(aRequest()));
    expect(decisions.map(({ delayMs }) => delayMs).slice(0, 4)).toEqual([0, 100, 150, 150]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, true, false]);
    expect(decisions[0]?.tightest.quotaUnit).toBe('tokens');
  });

  it('guarantee a part to each tenant', () => {
    const guarantee = { limit: 1, key: ['customer'], total: 2, lend: 0 };
    const { limiter } = limited(aFile({ limits: [{ ...limit, key: ['all'], guarantee }] }));
    const asked = ['a', 'a', 'a', 'a', 'b', 'b'].map((name) => limiter.consume(aRequest(key(name))).allowed);
    expect(asked).toEqual([true, true, true, false, true, false]);
  });
});

describe('variants of a limit in a policy file', () => {
  const KEYS = 2_000;
  const variants = [
    { name: 'tight', share: 0.2, limit: perMinute(1) },
    { name: 'loose', share: 0.8, limit: perMinute(2) },
  ] as const;
  const limits: PolicyRule['limits'] = [{ ...LIMIT, tiered: false, variants }];

  it('divide the keys by their shares, each key always alike, and are counted apart', () => {
    const { limiter } = limited(aFile({ limits }));
    const other = limited(aFile({ limits })).limiter;
    const outcomes = new Map<string, number>();
    for (let i = 0; i < KEYS; i += 1) {
      const request = aRequest(key(`k${i}`));
      const { verdicts, tightest } = limiter.consume(request);
      const parts = verdicts.map(({ name, limit: { algorithm, quota } }) =>
        algorithm === 'unlimited' ? name : `${name} of ${quota}`,
      );
      const isAlike = other.peek(request).tightest.limit === tightest.limit;
      const outcome = `${parts}, tightest ${tightest.limit.quota}, alike: ${isAlike}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const asTight = 'minute:tight of 1,minute:loose, tightest 1, alike: true';
    const asLoose = 'minute:tight,minute:loose of 2, tightest 2, alike: true';
    expect([...outcomes.keys()].sort()).toEqual([asLoose, asTight].sort());
    const tight = outcomes.get(asTight) ?? 0;
    expect(Math.abs(tight - KEYS * 0.2)).toBeLessThan(3 * Math.sqrt(KEYS * 0.2 * 0.8));
  });

  it('have nothing to do with the share of keys that a rollout enforces', () => {
    const enforced = limited(
      aFile({ limits: [{ ...LIMIT, tiered: false, limit: perMinute(0) }], enforce: 0.2 }),
    ).limiter;
    const { limiter } = limited(aFile({ limits }));
    let both = 0;
    for (let i = 0; i < KEYS; i += 1) {
      const request = aRequest(key(`k${i}`));
      if (!enforced.consume(request).allowed && limiter.consume(request).tightest.limit.quota === 1) both += 1;
    }
    expect(Math.abs(both - KEYS * 0.04)).toBeLessThan(3 * Math.sqrt(KEYS * 0.04 * 0.96));
  });
});

describe('the enforcement of a policy file', () => {
  const over = (file: PolicyFile, context: Context = {}) => {
    const { limiter } = limited(file, context);
    for (let i = 0; i < 3; i += 1) limiter.consume(aRequest());
    return limiter.consume(aRequest());
  };

  it('counts and refuses nothing in shadow', () => {
    expect(over(aFile({}, { enforcement: 'shadow' }))).toMatchObject({ allowed: true, shadowed: true });
    expect(over(aFile(), { enforcement: 'shadow' })).toMatchObject({ allowed: true, shadowed: true });
    expect(over(aFile(), { braked: true })).toMatchObject({ allowed: true, shadowed: true });
  });

  it('refuses neither blocked nor unknown customers in shadow', () => {
    const block = { reason: undefined, untilMs: Number.POSITIVE_INFINITY };
    const file = aFile({ unknownCustomer: 'refuse' }, { enforcement: 'shadow', ...customers({ a: { block } }) });
    const { limiter } = limited(file);
    for (const name of ['a', 'unknown']) expect(limiter.consume(aRequest(key(name))).allowed).toBe(true);
  });

  it('asks the store nothing if it is off', () => {
    const store = new MemoryStore({ clock: new ManualClock() });
    let asked = 0;
    const { consume } = store;
    store.consume = (ask) => {
      asked += 1;
      return consume.call(store, ask);
    };
    const off = createLimiter(compilePolicy(aFile(), 'api', { store, enforcement: 'off' }));
    for (let i = 0; i < 9; i += 1) expect(off.consume(aRequest())).toMatchObject({ allowed: true, shadowed: false });
    expect(asked).toBe(0);
  });

  it('is as far as the smaller share of a policy and a limit of it says', () => {
    const limits: PolicyRule['limits'] = [{ ...LIMIT, tiered: false, limit: perMinute(3) }];
    expect(over(aFile({ limits, enforce: 0 }))).toMatchObject({ allowed: true, shadowed: true });
    expect(over(aFile({ limits: [{ ...LIMIT, enforce: 1 }], enforce: 0 }))).toMatchObject({ allowed: true });
    expect(over(aFile({ enforce: 'mark' }, { enforcement: 'shadow' }))).toMatchObject({ exceeded: true });
  });

  it('marks a limit that is only marked', () => {
    const limits: PolicyRule['limits'] = [{ ...LIMIT, tiered: false, limit: perMinute(3), enforce: 'mark' }];
    expect(over(aFile({ limits }))).toMatchObject({ allowed: true, exceeded: true });
  });
});

describe('the rollout of a policy file', () => {
  const rollout = [
    { fromMs: START_MS + 1_000, enforce: 0 },
    { fromMs: START_MS + 2_000, enforce: 0.05 },
    { fromMs: START_MS + 3_000, enforce: 0.5 },
    { fromMs: START_MS + 4_000, enforce: 1 },
  ];
  const KEYS = 4_000;

  /** The keys that are enforced at each second. */
  function enforced() {
    const limits: PolicyRule['limits'] = [{ ...LIMIT, tiered: false, limit: perMinute(0), enforce: undefined }];
    const { clock, limiter } = limited(aFile({ limits, rollout }));
    return [0, 1, 2, 3, 4].map(() => {
      const refused = Array.from({ length: KEYS }, (_, i) => i).filter(
        (i) => !limiter.consume(aRequest(key(`k${i}`))).allowed,
      );
      clock.advance(1_000);
      return new Set(refused);
    });
  }

  it('enforces the share of keys of each step, within three standard deviations', () => {
    const shares = [0, 0, 0.05, 0.5, 1];
    const sets = enforced();
    expect(sets.map(({ size }) => size)).toHaveLength(shares.length);
    for (const [i, share] of shares.entries()) {
      const deviation = 3 * Math.sqrt(KEYS * share * (1 - share));
      expect(Math.abs((sets[i]?.size ?? -1) - KEYS * share)).toBeLessThanOrEqual(deviation);
    }
  });

  it('keeps who was enforced, and is the same on three instances', () => {
    const [first, ...others] = [enforced(), enforced(), enforced()];
    for (const other of others) expect(other).toEqual(first);
    const steps = first ?? [];
    for (const [i, now] of steps.entries()) {
      expect([...(steps[i - 1] ?? [])].filter((one) => !now.has(one))).toEqual([]);
    }
  });

  it('does not make a limit stricter than its own share', () => {
    const limits: PolicyRule['limits'] = [{ ...LIMIT, tiered: false, limit: perMinute(0), enforce: 0 }];
    expect(limited(aFile({ limits, rollout: [] })).limiter.consume(aRequest()).allowed).toBe(true);
  });

  it('leaves a number when no step is left, for the quick route of a memory store', () => {
    const at = (startMs: number) =>
      compilePolicy(aFile({ rollout }), 'api', { store: new MemoryStore({ clock: new ManualClock(startMs) }) })
        .limits[0];
    expect(typeof at(START_MS)?.enforce).toBe('function');
    expect(at(START_MS + 4_000)?.enforce).toBe(1);
  });
});

describe('a policy that cannot be compiled', () => {
  const compile =
    (file: PolicyFile, context: Context = {}, name = 'api') =>
    () =>
      compilePolicy(file, name, { ...context, store: new MemoryStore() });

  it.each([
    ['a name', compile(aFile(), {}, 'apl'), 'the policy file has no policy "apl": it has "api" (SLUICE_OPTION)'],
    ['a key', compile(aFile({ key: ['user'] })), 'keys["user"] must be a function'],
    ['a tier', compile(aFile({ tier: { from: 'code', default: 'free' } })), 'tiers["api"] must be a function'],
    [
      'a cost',
      compile(aFile({ cost: { from: 'code', min: 1, max: 2, default: 1 } })),
      'costs["api"] must be a function',
    ],
  ])('says that %s is missing', (_, attempt, message) => {
    expect(attempt).toThrow(message);
  });
});
