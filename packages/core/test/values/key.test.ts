import { describe, expect, it } from '@jest/globals';
import { createLimiter, everyone, type Key } from '@sluice/core';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import fc from 'fast-check';
import { decodeKey, encodeKey, hash } from '../../src/values/key.js';
import { keptValue } from './kept-value.js';

const codeUnit = fc.oneof(
  fc.constantFrom(0xd800, 0xdbff, 0xdc00, 0xdfff, 0x61, 0x7e),
  fc.integer({ min: 0, max: 0xffff }),
);
const text = fc.oneof(
  arbitraryText(),
  fc.array(codeUnit, { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '~', '~n1', '~l', '~l1:a', '~s', '~s~', '~uAAA', '1', '1:a', ':', '~~', 'a', 'bc', 'ab', 'c'),
  fc.string({ minLength: 120, maxLength: 140 }),
);
const number = fc
  .oneof(fc.integer({ min: -3, max: 12 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => n + 0);
const { key } = fc.letrec<{ key: Key; list: Key[] }>((tie) => ({
  key: fc.oneof({ maxDepth: 3, withCrossShrink: true }, text, number, tie('list')),
  list: fc.array(tie('key'), { maxLength: 4 }),
}));

/** A verbose encoding that keeps all keys apart. */
function plainly(value: Key): string {
  if (typeof value === 'number') return `number ${value}`;
  if (typeof value === 'string')
    return `text ${value.length} ${[...Array(value.length).keys()].map((i) => value.charCodeAt(i)).join(' ')}`;
  return `list ${value.length} ${value.map(plainly).join(', ')}`;
}

describe('an encoded key', () => {
  it('is shared by no two keys', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(encodeKey(a) === encodeKey(b)).toBe(plainly(a) === plainly(b));
      }),
      runs(30),
    );
  });

  it('differs for very many keys', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 100, maxLength: 200 }), (keys) => {
        expect(new Set(keys.map(encodeKey)).size).toBe(new Set(keys.map(plainly)).size);
      }),
      runs(0.5),
    );
  });

  it('differs for a key and the encoding of another one as text', () => {
    fc.assert(
      fc.property(key, (value) => {
        const encoded = encodeKey(value);
        expect(encodeKey(encoded) === encoded).toBe(value === encoded || encodeKey(value) === value);
        expect(encodeKey([encoded]) === encodeKey([value])).toBe(value === encoded);
      }),
      runs(10),
    );
  });

  it.each<[Key, Key]>([
    [1, '1'],
    [1, '~n1'],
    [[1], '~l3:~n1'],
    [
      ['a', 'bc'],
      ['ab', 'c'],
    ],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [['a'], 'a'],
    [
      [['a'], 'b'],
      ['a', ['b']],
    ],
    [[], ''],
    [[''], []],
    [['', ''], ['']],
    [['1:a'], ['a']],
    ['~', '~s~'],
    ['\ud800', '\ufffd'],
    ['\ud800', '\udc00'],
    ['\ud800a', '\ud801a'],
    [['\ud800', '\udc00'], ['\ud800\udc00']],
    ['\ud800', `~u${Buffer.from('\ud800', 'utf16le').toString('base64url')}`],
    ['x'.repeat(200), 'x'.repeat(201)],
    ['x'.repeat(200), hash('x'.repeat(200))],
    ['x'.repeat(200), `~h${hash('x'.repeat(200))}`],
    [['x'.repeat(200)], [`~h${hash('x'.repeat(200))}`]],
    ['é', 'e\u0301'],
    [0.1, 0.1 + Number.EPSILON],
    [1e21, '1e+21'],
    [2 ** 53, 2 ** 53 - 1],
  ])('differs for %j and %j', (a, b) => {
    expect(encodeKey(a)).not.toBe(encodeKey(b));
    expect(encodeKey([a])).not.toBe(encodeKey([b]));
  });

  it.each<[Key, string]>([
    ['203.0.113.9', '203.0.113.9'],
    ['', ''],
    ['user:42 ü', 'user:42 ü'],
    [42, '~n42'],
    [-1.5, '~n-1.5'],
    ['~a', '~s~a'],
    [['ip', '::1'], '~l2:ip3:::1'],
    [['a', 1, ['b']], '~l1:a3:~n15:~l1:b'],
    ['\ud800', '~uANg'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), `~h${hash('x'.repeat(129))}`],
  ])('of %j is text that stays the same from version to version', (value, encoded) => {
    expect(encodeKey(value)).toBe(encoded);
  });

  it('is never longer than 128 characters, and well-formed', () => {
    fc.assert(
      fc.property(key, (value) => {
        const encoded = encodeKey(value);
        expect(encoded.length).toBeLessThanOrEqual(128);
        expect(encoded.isWellFormed()).toBe(true);
      }),
      runs(5),
    );
  });

  it('of everyone() is always the same', () => {
    expect(encodeKey(everyone()())).toBe(encodeKey(everyone()()));
    expect(encodeKey(everyone()())).not.toBe(encodeKey('everyone'));
  });
});

describe('a decoded key', () => {
  it('is the key, unless a part of it was too long', () => {
    fc.assert(
      fc.property(key, (value) => {
        const encoded = encodeKey(value);
        const decoded = decodeKey(encoded);
        if (decoded === undefined) expect(encoded).toMatch(/~h/);
        else expect(encodeKey(decoded)).toBe(encoded);
      }),
    );
  });

  it.each<[Key]>([['ann'], [7], ['~n7'], [['ip', '203.0.113.7']], [['a', ['b', 1.5]]], [[]], ['\ud800']])(
    'is %j again',
    (value) => {
      expect(decodeKey(encodeKey(value))).toEqual(value);
    },
  );

  it.each(['x', '\ud800'])('may be as long as a client can make it, of %j', (text) => {
    const key = text.repeat(1_000_000);
    expect(encodeKey(key)).toHaveLength(encodeKey('x'.repeat(200)).length);
    expect(encodeKey(['a', key])).not.toBe(encodeKey(['a', `${key}y`]));
  });

  it('is unknown if only a hash is left', () => {
    expect(decodeKey(encodeKey('x'.repeat(200)))).toBeUndefined();
    expect(decodeKey(encodeKey(['a', 'x'.repeat(200)]))).toBeUndefined();
  });
});

describe('an invalid key', () => {
  it.each([undefined, null, Number.NaN, Number.POSITIVE_INFINITY, true, 1n, {}, new Date(0), Symbol('a'), () => 'a'])(
    'is refused: %p, alone and in a list',
    (wrong) => {
      for (const value of [wrong, [wrong], ['a', ['b', wrong]]]) {
        expect(() => encodeKey(value as Key)).toThrow(
          expect.objectContaining({ name: 'SluiceError', code: 'SLUICE_KEY', ...keptValue(wrong) }),
        );
      }
    },
  );
});

/** A key in so many lists. */
function nested(levels: number): Key {
  let key: Key = 'ann';
  for (let i = 0; i < levels; i += 1) key = [key];
  return key;
}

describe('a key of many levels', () => {
  it('is a key up to 100 of them', () => {
    expect(encodeKey(nested(100))).not.toBe(encodeKey(nested(99)));
  });

  it.each([101, 20_000])('is refused with %d, and overflows no stack', (levels) => {
    const refused = expect.objectContaining({
      code: 'SLUICE_KEY',
      message: expect.stringContaining('at most 100 levels'),
    });
    expect(() => encodeKey(nested(levels))).toThrow(refused);
    const limiter = createLimiter<Key>({ limit: 1, window: '1m', keyGenerator: (key) => key });
    const calls: readonly (() => unknown)[] = [
      () => limiter.consume(nested(levels)),
      () => limiter.reset(nested(levels)),
      () => limiter.block(nested(levels), '1h'),
      () => limiter.inspect(nested(levels), { verdicts: false }),
    ];
    for (const call of calls) expect(call).toThrow(refused);
  });

  it('is refused if the list is a part of itself', () => {
    const endless: Key[] = [];
    endless.push(endless);
    expect(() => encodeKey(endless)).toThrow(expect.objectContaining({ code: 'SLUICE_KEY' }));
  });
});

describe('a hash', () => {
  it('is SHA-256 in 43 characters', () => {
    expect(hash('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect(hash('')).toHaveLength(43);
  });

  it('refuses a list with a hole', () => {
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
    expect(() => encodeKey([, 1] as Key)).toThrow('SLUICE_KEY');
  });
});
