import { describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyBucket,
  MemoryStore,
  replacePolicy,
  type Store,
  slidingWindow,
  unlimited,
} from '@sluice/core';
import { KEY_VIEW, type KeyCounter, type KeyView } from '@sluice/core/http';
import { hash } from '@sluice/core/values';
import { manualStore } from '@sluice/test-kit/manual-store';

const HOUR_MS = 3_600_000;

describe('block', () => {
  it('refuses a key for the given time, or until it is lifted', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: 100, window: '1m', store });
    limiter.consume('ann');
    limiter.block('ann', '1h');
    limiter.block('bob', 'forever');
    expect(limiter.consume('ann')).toMatchObject({
      allowed: false,
      retryAfterMs: HOUR_MS,
      tightest: { blocked: true, remaining: 0, used: 1 },
    });
    expect(limiter.consume('bob')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    expect(limiter.consume('cid').allowed).toBe(true);
    clock.advance('1h');
    expect(limiter.unblock('ann')).toBe(false);
    expect(limiter.consume('ann').allowed).toBe(true);
    expect(limiter.unblock('bob')).toBe(true);
    expect(limiter.consume('bob').allowed).toBe(true);
    expect(limiter.unblock('bob')).toBe(false);
  });

  it('covers the key in every limit, whatever the algorithm, and whichever tier is chosen', () => {
    const { store } = manualStore();
    let tier = slidingWindow({ limit: 5, window: '1m' });
    const limiter = createLimiter({
      limits: [
        { name: 'tier', limit: () => tier },
        { name: 'queue', limit: leakyBucket({ capacity: 5, leakRate: 1 }) },
        { name: 'slots', limit: concurrency({ limit: 5, lease: '1m' }) },
      ],
      store,
    });
    limiter.block('ann', '1m');
    for (const other of [tier, fixedWindow({ limit: 5, window: '1m' })]) {
      tier = other;
      const { allowed, verdicts } = limiter.reserve('ann');
      expect([allowed, ...verdicts.map(({ blocked }) => blocked)]).toEqual([false, true, true, true]);
    }
    tier = unlimited();
    expect(limiter.reserve('ann').allowed).toBe(false);
  });

  it('does not refuse where no limit is enforced, and shows what it would do', () => {
    const limiter = createLimiter({ limit: 5, window: '1m', enforce: 0, store: manualStore().store });
    limiter.block('ann', '1m');
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, shadowed: true, tightest: { blocked: true } });
  });

  it('lets wait resolve with the refusal where waiting does not help', async () => {
    const limiter = createLimiter({ limit: 5, window: '1m', store: manualStore().store });
    limiter.block('ann', 'forever');
    limiter.block('bob', '1m');
    expect(await limiter.wait('ann')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    expect(await limiter.wait('bob', { maxWait: '59s' })).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
  });

  it.each<[unknown[], string, string]>([
    [['ann', 0], 'SLUICE_OPTION', 'time'],
    [['ann', '101y'], 'SLUICE_OPTION', 'time'],
    [['ann', undefined], 'SLUICE_OPTION', 'time'],
    [['ann', 'Forever'], 'SLUICE_OPTION', 'time'],
    [['ann', '1m', { reason: 'x'.repeat(257) }], 'SLUICE_OPTION', 'reason'],
    [['ann', '1m', { reason: 7 }], 'SLUICE_OPTION', 'reason'],
    [['ann', '1m', { reveal: 'yes' }], 'SLUICE_OPTION', 'reveal'],
    [['ann', '1m', { reasons: 'x' }], 'SLUICE_OPTION', 'reasons'],
    [['ann', '1m', 'x'], 'SLUICE_OPTION', 'options'],
    [[undefined, '1m'], 'SLUICE_KEY', ''],
    [[{}, '1m'], 'SLUICE_KEY', ''],
  ])('refuses %j, and blocks nobody', (args, code, path) => {
    const limiter = createLimiter({ limit: 5, window: '1m', store: manualStore().store });
    const block = limiter.block as (...args: unknown[]) => void;
    expect(() => block(...args)).toThrow(expect.objectContaining(path ? { code, path } : { code }));
    expect(limiter.blocked().entries).toEqual([]);
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('takes a reason of 256 characters', () => {
    const limiter = createLimiter({ limit: 5, window: '1m', store: manualStore().store });
    const reason = 'x'.repeat(256);
    limiter.block('ann', '1m', { reason });
    expect(limiter.blocked().entries).toMatchObject([{ reason }]);
  });

  it('has room for 10,000 keys of a policy, lifts none of them for another, and has room again when one ends', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ name: 'api', limit: 5, window: '1m', store });
    const other = createLimiter({ name: 'other', limit: 5, window: '1m', store });
    for (let i = 0; i < 10_000; i += 1) limiter.block(i, i === 0 ? '1s' : 'forever');
    expect(() => limiter.block('one more', '1m')).toThrow(expect.objectContaining({ code: 'SLUICE_FULL' }));
    expect(limiter.consume('one more').allowed).toBe(true);
    limiter.block(9999, 'forever');
    other.block('one more', '1m');
    expect(limiter.consume(0 as never).allowed).toBe(false);
    clock.advance(1000);
    limiter.block('one more', '1m');
    expect(limiter.consume('one more').allowed).toBe(false);
    expect(limiter.consume(1 as never).allowed).toBe(false);
  });

  it('is not available in a store without blocks', () => {
    const { store } = manualStore();
    const plain: Store<false> = {
      async: false,
      clock: store.clock,
      supports: store.supports,
      consume: (ask) => store.consume(ask),
      adjust: (change) => store.adjust(change),
      reset: (targets) => store.reset(targets),
      close: () => store.close(),
    };
    const limiter = createLimiter({ limit: 5, window: '1m', store: plain });
    const unsupported = expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' });
    expect(() => limiter.block('ann', '1m')).toThrow(unsupported);
    expect(() => limiter.unblock('ann')).toThrow(unsupported);
    expect(() => limiter.blocked()).toThrow(unsupported);
    expect(() => limiter.inspect('ann')).toThrow(unsupported);
  });
});

describe('blocked', () => {
  it('lists who is blocked, by whom and for how long', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1s', blockDuration: '1m' }), store });
    limiter.consume('ann');
    limiter.consume('ann');
    limiter.block('bob', '1h', { reason: 'scraping', reveal: true });
    limiter.block(['user', 7], 'forever', { reveal: true });
    limiter.block('cid', 'forever');
    const nowMs = clock.now();
    expect(limiter.blocked().entries.slice(0, 2)).toEqual([
      { key: hash('ann'), untilMs: nowMs + 60_000, by: 'limit', strikes: 1 },
      { key: 'bob', untilMs: nowMs + HOUR_MS, by: 'admin', strikes: 0, reason: 'scraping' },
    ]);
    expect(
      new Set(
        limiter
          .blocked()
          .entries.slice(2)
          .map(({ key }) => key),
      ),
    ).toEqual(new Set(['["user",7]', hash('cid')]));
  });

  it('is read part by part', () => {
    const limiter = createLimiter({ limit: 5, window: '1m', store: manualStore().store });
    for (const minutes of [3, 1, 2, 5, 4]) limiter.block(`key ${minutes}`, `${minutes}m`, { reveal: true });
    const first = limiter.blocked({ limit: 2 });
    limiter.unblock('key 2');
    limiter.block('key 0', 1, { reveal: true });
    const second = limiter.blocked({ limit: 2, cursor: first.cursor as string });
    const third = limiter.blocked({ limit: 2, cursor: second.cursor as string });
    const keys = [first, second, third].map(({ entries }) => entries.map(({ key }) => key));
    expect(keys).toEqual([['key 1', 'key 2'], ['key 3', 'key 4'], ['key 5']]);
    expect('cursor' in third).toBe(false);
    expect(limiter.blocked({ limit: 6 })).not.toHaveProperty('cursor');
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ cursor: 'none' }, 'cursor'],
    [{ cursor: 7 }, 'cursor'],
    [{ cursor: Buffer.from('[1,2,3]').toString('base64url') }, 'cursor'],
    [{ page: 2 }, 'page'],
  ])('refuses %j', (options, path) => {
    const limiter = createLimiter({ limit: 5, window: '1m', store: manualStore().store });
    expect(() => limiter.blocked(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('has at most 10,000 entries, and leaves out blocks of limits that end first', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: fixedWindow({ limit: 0, window: '1s', blockDuration: '1h' }), store });
    limiter.block('ann', '1s', { reveal: true });
    for (let i = 0; i < 12_000; i += 1) {
      limiter.consume(`key ${i}`);
      if (i % 100 === 0) clock.advance(1);
    }
    const entries: { key: string }[] = [];
    for (let page = limiter.blocked({ limit: 1000 }); ; page = limiter.blocked({ limit: 1000, cursor: page.cursor })) {
      entries.push(...page.entries);
      if (page.cursor === undefined) break;
    }
    expect(entries.length).toBeGreaterThan(8000);
    expect(entries.length).toBeLessThanOrEqual(10_000);
    expect(entries[0]?.key).toBe('ann');
    expect(entries.some(({ key }) => key === hash('key 11999'))).toBe(true);
    expect(entries.some(({ key }) => key === hash('key 0'))).toBe(false);
  });

  it('lists no block of a limit in the shadow', () => {
    const limit = fixedWindow({ limit: 0, window: '1s', blockDuration: '1h' });
    const limiter = createLimiter({ limit, enforce: 0, store: manualStore().store });
    limiter.consume('ann');
    expect(limiter.blocked().entries).toEqual([]);
  });
});

describe('inspect', () => {
  it('shows the verdicts of a peek, and the block', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: 5, window: '1m', store });
    limiter.consume('ann');
    expect(limiter.inspect('ann')).toEqual({ verdicts: limiter.peek('ann').verdicts });
    limiter.block('ann', '1m', { reason: 'scraping' });
    expect(limiter.inspect('ann')).toEqual({
      verdicts: limiter.peek('ann').verdicts,
      block: { untilMs: clock.now() + 60_000, by: 'admin', strikes: 0, reason: 'scraping' },
    });
    clock.advance('1m');
    expect(limiter.inspect('ann')).not.toHaveProperty('block');
  });

  it('needs limits that depend on no request', () => {
    const limiter = createLimiter({ limit: () => slidingWindow({ limit: 5, window: '1m' }), store: new MemoryStore() });
    expect(() => limiter.inspect('ann')).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }));
  });

  it('asks the view of items that know their limits without a request, and tells it the policy', async () => {
    const { store } = manualStore();
    const limit = slidingWindow({ limit: 5, window: '1m' });
    const policies: KeyCounter[] = [];
    const view: KeyView = {
      limitsOf: async (key) => [{ name: 'plan', key: `plan of ${String(key)}`, limit, shownAs: 'plan:big' }],
      joined: (policy) => policies.push(policy),
    };
    const item = { name: 'plan', limit: () => limit, keyGenerator: (id: string) => `plan of ${id}`, [KEY_VIEW]: view };
    const options = { name: 'viewed', limits: [item, { name: 'all', limit: 9, window: '1m' as const }], store };
    const limiter = createLimiter(options);
    limiter.consume('ann');
    const { verdicts } = await limiter.inspect('ann');
    expect(verdicts.map(({ name, used, cost }) => [name, used, cost])).toEqual([
      ['all', 1, 1],
      ['plan:big', 1, 1],
    ]);
    expect(policies.map(({ name }) => name)).toEqual(['viewed']);
    const counted = await policies[0]?.look([{ name: 'plan', key: 'plan of ann', limit }]);
    expect(counted).toMatchObject({ atMs: store.clock.now(), verdicts: [{ name: 'plan', used: 1 }] });

    replacePolicy(options, { limits: [{ ...item, limit: () => limit }] });
    expect(policies).toHaveLength(2);
    expect((await limiter.inspect('ann')).verdicts.map(({ name }) => name)).toEqual(['plan:big']);
  });

  it('finds the block alone where a limit depends on the request', () => {
    const limiter = createLimiter({ limit: () => slidingWindow({ limit: 5, window: '1m' }), store: new MemoryStore() });
    expect(limiter.inspect('ann', { verdicts: false })).toEqual({ verdicts: [] });
    limiter.block('ann', 'forever');
    expect(limiter.inspect('ann', { verdicts: false })).toMatchObject({ verdicts: [], block: { untilMs: 'forever' } });
    expect(() => limiter.inspect('ann', { verdicts: 0 } as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION' }),
    );
  });
});
