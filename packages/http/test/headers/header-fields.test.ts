import { describe, expect, it } from '@jest/globals';
import { leakyBucket } from '@sluice/core/src/algorithms/buckets/leaky';
import { tokenBucket } from '@sluice/core/src/algorithms/buckets/token';
import { concurrency } from '@sluice/core/src/algorithms/concurrency';
import { slidingWindow } from '@sluice/core/src/algorithms/sliding/window';
import { unlimited } from '@sluice/core/src/values/limit';
import fc from 'fast-check';
import { parseDictionary, parseItem, parseList } from 'structured-headers';
import type { HeaderFieldOptions } from '../../src/headers/field-options.js';
import { HeaderFields } from '../../src/headers/fields.js';
import { uniqueName } from '../../src/headers/item.js';
import { fieldsWith, headerItem } from './header-item.js';

const minute = slidingWindow({ limit: 100, window: '1m' });
const day = slidingWindow({ limit: 1000, window: '1d' });
const burst = headerItem(minute, { remaining: 50, resetAfterMs: 30_000 }, 'burst');
const daily = headerItem(day, { remaining: 900, resetAfterMs: 80_000_000 }, 'daily');
const exhausted = headerItem(
  day,
  { allowed: false, remaining: 0, retryAfterMs: 600_000, resetAfterMs: 80_000_000 },
  'daily',
);
const slots = headerItem(concurrency({ limit: 3, lease: '30s' }), { remaining: 2 }, 'slots');
const briefly = headerItem(slidingWindow({ limit: 3, window: '500ms' }), { resetAfterMs: 400 }, 'briefly');
const prepaid = headerItem(
  tokenBucket({ capacity: 10, refillRate: 0 }),
  { remaining: 4, resetAfterMs: 'never' },
  'prepaid',
);

const standard = (standardHeaders: HeaderFieldOptions['standardHeaders']) =>
  fieldsWith({ standardHeaders, legacyHeaders: false });

describe('draft 11', () => {
  it.each(['draft-11', 'draft-8', true, undefined] as const)('is what %p sends, all limits in their order', (draft) => {
    expect(standard(draft)([burst, daily])).toEqual({
      'RateLimit-Policy': '"burst";q=100;w=60,"daily";q=1000;w=86400',
      RateLimit: '"burst";r=50;t=30,"daily";r=900;t=80000',
    });
  });

  it('states the unit concurrent-requests for concurrency', () => {
    expect(standard('draft-11')([slots])).toEqual({
      'RateLimit-Policy': '"slots";q=3;qu="concurrent-requests"',
      RateLimit: '"slots";r=2;t=1',
    });
  });
});

describe('draft 7', () => {
  it('states the tightest limit, and the policies of all limits', () => {
    expect(standard('draft-7')([daily, burst])).toEqual({
      'RateLimit-Policy': '1000;w=86400, 100;w=60',
      RateLimit: 'limit=100, remaining=50, reset=30',
    });
  });

  it('states the limit that refused', () => {
    expect(standard('draft-7')([burst, exhausted]).RateLimit).toBe('limit=1000, remaining=0, reset=600');
  });

  it('sends no RateLimit without the reset that it requires', () => {
    expect(standard('draft-7')([burst, prepaid])).toEqual({ 'RateLimit-Policy': '100;w=60' });
  });

  it('sends no policy without the window that it requires', () => {
    expect(standard('draft-7')([briefly])).toEqual({ RateLimit: 'limit=3, remaining=3, reset=1' });
  });

  it('states no slots', () => {
    expect(standard('draft-7')([slots, burst]).RateLimit).toBe('limit=100, remaining=50, reset=30');
    expect(standard('draft-7')([slots])).toEqual({});
  });

  it('states only the longest of several policies with the same quota', () => {
    const [second, hour] = (['1s', '1h'] as const).map((window) =>
      headerItem(slidingWindow({ limit: 100, window }), {}, window),
    );
    expect(standard('draft-7')([second as never, hour as never, burst])['RateLimit-Policy']).toBe('100;w=3600');
  });
});

describe('draft 6', () => {
  it('states the tightest limit in one field for each number', () => {
    expect(standard('draft-6')([daily, burst])).toEqual({
      'RateLimit-Policy': '1000;w=86400, 100;w=60',
      'RateLimit-Limit': '100',
      'RateLimit-Remaining': '50',
      'RateLimit-Reset': '30',
    });
  });

  it('sends none of the three without a reset', () => {
    expect(standard('draft-6')([prepaid])).toEqual({});
  });
});

describe('legacy fields', () => {
  const legacy = fieldsWith({ standardHeaders: false });

  it('state the tightest limit, with seconds from now', () => {
    expect(legacy([daily, burst])).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '50',
      'X-RateLimit-Reset': '30',
    });
  });

  it('leave the reset out if there is none', () => {
    expect(legacy([prepaid])).toEqual({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '4' });
  });
});

describe('HeaderFields', () => {
  it('sends draft 11 and legacy fields by default, and nothing if both are off', () => {
    expect(Object.keys(fieldsWith()([burst]))).toEqual([
      'RateLimit-Policy',
      'RateLimit',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ]);
    expect(fieldsWith({ standardHeaders: false, legacyHeaders: false })([burst])).toEqual({});
  });

  it('does not state limits that are unlimited or not enforced', () => {
    const shadow = headerItem(minute, { allowed: false, remaining: 0, retryAfterMs: 'never', shadow: true }, 'shadow');
    const free = headerItem(unlimited(), {}, 'free');
    for (const standardHeaders of ['draft-11', 'draft-8', 'draft-7', 'draft-6'] as const) {
      const fieldsOf = fieldsWith({ standardHeaders });
      expect(fieldsOf([free, shadow, burst, free])).toEqual(fieldsOf([burst]));
      expect(fieldsOf([free, shadow])).toEqual({});
    }
  });

  it('supports several names for one limit', () => {
    const names = ['burst', 'api:burst', 'burst'];
    const policies = names.map((name) => standard('draft-11')([headerItem(minute, {}, name)])['RateLimit-Policy']);
    expect(policies).toEqual(['"burst";q=100;w=60', '"api:burst";q=100;w=60', '"burst";q=100;w=60']);
  });

  it('returns new fields each time', () => {
    const fieldsOf = fieldsWith();
    fieldsOf([burst]).RateLimit = '';
    expect(fieldsOf([burst]).RateLimit).toBe('"burst";r=50;t=30');
  });

  it.each([
    [{ standardHeaders: 'draft-9' }, 'standardHeaders'],
    [{ standardHeaders: 1 }, 'standardHeaders'],
    [{ legacyHeaders: 'yes' }, 'legacyHeaders'],
  ])('refuses %j', (options, path) => {
    expect(() => new HeaderFields(options as HeaderFieldOptions)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });
});

describe('all fields, parsed by RFC 9651', () => {
  const limits = [
    minute,
    slidingWindow({ limit: 4e15, window: '1ms' }),
    slidingWindow({ limit: 7, window: '999ms' }),
    tokenBucket({ capacity: 1000, refillRate: 1 / 3 }),
    tokenBucket({ capacity: 1, refillRate: 1_000_000 }),
    tokenBucket({ capacity: 5, refillRate: 0 }),
    leakyBucket({ capacity: 10, leakRate: 0.1 }),
    concurrency({ limit: 3, lease: '30s' }),
  ];
  const name = fc.string({
    minLength: 1,
    maxLength: 128,
    unit: fc.oneof(
      fc.constantFrom('"', '\\'),
      fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    ),
  });
  const wait = fc.oneof(fc.nat(1e9), fc.constant('never' as const), fc.constant(Number.MAX_SAFE_INTEGER));
  const item = fc
    .record({
      name,
      limit: fc.constantFrom(...limits),
      allowed: fc.boolean(),
      cost: fc.nat(20),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      retryAfterMs: wait,
      resetAfterMs: wait,
    })
    .map(({ name, limit, share, ...said }) =>
      headerItem(limit, { ...said, remaining: Math.floor(limit.quota * share) }, name),
    );
  const items = fc.uniqueArray(item, { minLength: 1, maxLength: 4, selector: ({ name }) => name });

  it('are Lists of Strings with whole numbers in drafts 8 and 11', () => {
    fc.assert(
      fc.property(items, (items) => {
        const fields = standard('draft-11')(items);
        const names = items.map(({ name }) => name);
        const policies = parseList(fields['RateLimit-Policy'] as string);
        const limits = parseList(fields.RateLimit as string);
        expect(policies.map(([name]) => name)).toEqual(names);
        expect(limits.map(([name]) => name)).toEqual(names);
        items.forEach((verdict, i) => {
          const { q, w, ...unit } = Object.fromEntries(policies[i]?.[1] as Map<string, unknown>);
          const { r, t, ...others } = Object.fromEntries(limits[i]?.[1] as Map<string, unknown>);
          expect(q).toBe(Math.min(verdict.limit.quota, 999_999_999_999_999));
          expect(w === undefined || (Number.isSafeInteger(w) && (w as number) >= 1)).toBe(true);
          expect(unit).toEqual(verdict.limit.algorithm === 'concurrency' ? { qu: 'concurrent-requests' } : {});
          expect(r).toBe(verdict.allowed ? Math.min(verdict.remaining, 999_999_999_999_999) : 0);
          expect(t === undefined || (Number.isSafeInteger(t) && (t as number) >= 1)).toBe(true);
          expect(others).toEqual({});
        });
      }),
    );
  });

  it('are a Dictionary of Integers in draft 7 and Integers in draft 6', () => {
    fc.assert(
      fc.property(items, (items) => {
        const { RateLimit, 'RateLimit-Policy': policies } = standard('draft-7')(items);
        const { 'RateLimit-Policy': _, ...three } = standard('draft-6')(items);
        if (RateLimit !== undefined) {
          const values = [...parseDictionary(RateLimit)].map(([key, [value]]) => [key, value]);
          expect(values.map(([key]) => key)).toEqual(['limit', 'remaining', 'reset']);
          expect(values.map(([, value]) => value)).toEqual(Object.values(three).map((value) => parseItem(value)[0]));
        }
        const parsed = policies === undefined ? [] : parseList(policies);
        expect(new Set(parsed.map(([quota]) => quota)).size).toBe(parsed.length);
        for (const [, parameters] of parsed) expect([...parameters.keys()]).toEqual(['w']);
      }),
    );
  });
});

describe('uniqueName', () => {
  it.each([
    [[], 'burst'],
    [['daily'], 'burst'],
    [['burst'], 'api:burst'],
    [['burst', 'api:burst'], 'api:burst:2'],
    [['burst', 'api:burst', 'api:burst:2'], 'api:burst:3'],
  ])('after %j is %s', (earlier, name) => {
    const items = earlier.map((name) => ({ name }));
    expect(uniqueName('burst', 'api', items)).toBe(name);
  });
});
