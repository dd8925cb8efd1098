import { describe, expect, it, jest } from '@jest/globals';
import { encodeKey, hash, type Key } from '@sluice/core/src/values/key';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import fc from 'fast-check';
import { byHeader, byIp, firstOf } from '../../src/keys/key-generators.js';
import type { HttpRequest } from '../../src/node/request.js';

const request = (headers: HttpRequest['headers'] = {}, ip?: string): HttpRequest => ({
  method: 'GET',
  url: '/',
  headers,
  ip,
});

describe('byIp', () => {
  it('counts IPv6 by /56 by default', () => {
    expect(byIp()(request({}, '2001:db8:0:1ff::1'))).toEqual(['ip', '2001:db8:0:100::/56']);
    expect(byIp({ ipv6Subnet: 64 })(request({}, '2001:db8:0:1ff::1'))).toEqual(['ip', '2001:db8:0:1ff::/64']);
  });

  it.each([undefined, ''])('has no key for the address %p', (ip) => {
    expect(byIp()(request({}, ip))).toBeUndefined();
  });

  it('refuses wrong options', () => {
    expect(() => byIp({ ipv6Subnet: 8 })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'ipv6Subnet' }),
    );
    expect(() => byIp({ subnet: 64 } as object)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'subnet' }),
    );
  });
});

describe('byHeader', () => {
  const byKey = byHeader('X-API-Key');

  it('counts by the hash of the value, under the name in lower case', () => {
    expect(byKey(request({ 'x-api-key': 'secret' }))).toEqual(['header', 'x-api-key', hash('secret')]);
  });

  it('counts the values of a repeated header together', () => {
    const repeated = byKey(request({ 'x-api-key': ['a', 'b'] }));
    expect(repeated).toEqual(byKey(request({ 'x-api-key': 'a, b' })));
    expect(repeated).not.toEqual(byKey(request({ 'x-api-key': 'a' })));
  });

  it.each([undefined, '', []])('has no key for the value %j', (value) => {
    expect(byKey(request({ 'x-api-key': value }))).toBeUndefined();
  });

  it.each(['constructor', '__proto__', 'toString'])('has no key when the header %s is absent', (name) => {
    expect(byHeader(name)(request())).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', '\u0000\u0001\r\n', 'x'.repeat(1e7), '\ud800', '~h', '0'])(
    'returns a normal key for a hostile value (case %#)',
    (value) => {
      const key = byKey(request({ 'x-api-key': value })) as readonly string[];
      expect(key.slice(0, 2)).toEqual(['header', 'x-api-key']);
      expect(key[2]).toMatch(/^[\w-]{43}$/);
      expect(encodeKey(key).length).toBeLessThanOrEqual(128);
    },
  );

  it('returns different keys for different values, also for ill-formed text', () => {
    const value = fc.oneof(arbitraryText(), fc.constantFrom('\ud800', '\ud801', '\ufffd', '~u2AA', '~'));
    fc.assert(
      fc.property(value, value, (one, other) => {
        fc.pre(one !== other && one !== '' && other !== '');
        expect(byKey(request({ 'x-api-key': one }))).not.toEqual(byKey(request({ 'x-api-key': other })));
      }),
    );
  });

  it.each(['', 'x api key', 'x-api-key:', 'é', 'x\r\ny', undefined, 7])('refuses the name %p', (name) => {
    expect(() => byHeader(name as string)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'name' }));
  });
});

describe('firstOf', () => {
  const none = (): undefined => undefined;

  it('returns the first key, and calls no later generator', () => {
    const later = jest.fn(() => 'later');
    expect(
      firstOf(
        none,
        () => null,
        () => 'key',
        later,
      )(request(), undefined),
    ).toBe('key');
    expect(later).not.toHaveBeenCalled();
  });

  it.each([0, '', []])('treats %j as a key', (key: Key) => {
    expect(
      firstOf(
        () => key,
        () => 'later',
      )(request(), undefined),
    ).toEqual(key);
  });

  it('returns undefined if no generator returns a key', () => {
    expect(firstOf(none, () => null)(request(), undefined)).toBeUndefined();
  });

  it('passes request and response on', () => {
    const generator = jest.fn((_req: HttpRequest, _res: string) => 'key');
    const asked = request();
    firstOf<HttpRequest, string>(none, generator)(asked, 'res');
    expect(generator).toHaveBeenCalledWith(asked, 'res');
  });

  it('returns a promise only from the first asynchronous generator on', async () => {
    const asynchronous = async (): Promise<Key | undefined> => undefined;
    expect(firstOf(() => 'key', asynchronous)(request(), undefined)).toBe('key');
    const answer = firstOf(
      none,
      asynchronous,
      none,
      async () => 'key',
      () => 'later',
    )(request(), undefined);
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBe('key');
    expect(await firstOf(asynchronous, () => 'next')(request(), undefined)).toBe('next');
    expect(await firstOf(asynchronous, none)(request(), undefined)).toBeUndefined();
  });

  it('passes on what a generator throws', async () => {
    const failure = new Error('no directory');
    const failing = async (): Promise<Key> => {
      throw failure;
    };
    await expect(firstOf(failing, () => 'key')(request(), undefined)).rejects.toBe(failure);
  });

  it('refuses an empty list, and a value that is no function', () => {
    expect(() => firstOf()).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
    expect(() => firstOf(none, 'ip' as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'keys[1]' }),
    );
  });
});
