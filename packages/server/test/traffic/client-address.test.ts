import { describe, expect, it } from '@jest/globals';
import { addressMatcher, ipKey } from '@sluice/core/http';
import fc from 'fast-check';
import { addressReader } from '../../src/traffic/client-address.js';
import { startTraffic } from './traffic-server.js';

const isTrusted = addressMatcher(['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48'], 'trusted');
const read = addressReader('x-forwarded-for', isTrusted);
const listed = (list: string) => read('127.0.0.1', { 'x-forwarded-for': list });

describe('the address of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['  203.0.113.7  ', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1,203.0.113.7,10.1.2.3', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3, 10.9.9.9:4711, ::ffff:10.0.0.1', '203.0.113.7'],
    ['nonsense, 203.0.113.7', '203.0.113.7'],
    [',203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7:4711'],
    ['[2001:db8::7]:443', '[2001:db8::7]:443'],
    ['fe80::7%eth0', 'fe80::7%eth0'],
    ['203.0.113.7, 2001:db8:ffff::1', '203.0.113.7'],
    // Whom all trust is as far as the list goes.
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ])('in the list %j is %s', (list, expected) => {
    expect(listed(list)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    ',',
    '203.0.113.7,',
    'unknown',
    '203.0.113.7, 10.0.0.256',
    'for=203.0.113.7',
    '0x7f.1',
    'nonsense, 10.0.0.1',
  ])('is not to be read from the list %j', (list) => {
    expect(() => listed(list)).toThrow('x-forwarded-for must be an address');
  });

  it('is what the first trusted proxy has added, whatever the client has written before it', () => {
    const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit: 'binary-ascii' }), fc.constant('10.0.0.1'));
    const client = fc.ipV4().filter((ip) => !isTrusted(ip));
    const proxies = fc.array(
      fc.nat(255).map((n) => `10.0.${n}.1`),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(entry), client, proxies, (written, ip, added) => {
        expect(listed([...written, ip, ...added].join(', '))).toBe(ip);
      }),
    );
  });

  it('is read in a time that does not depend on what the client has written', () => {
    expect(listed(`${'1.1.1.1,'.repeat(7000)}203.0.113.7`)).toBe('203.0.113.7');
  });

  it('is one address in any other field', () => {
    const single = addressReader('x-real-ip', isTrusted);
    expect(single('127.0.0.1', { 'x-real-ip': ' 10.0.0.1 ' })).toBe('10.0.0.1');
    expect(() => single('127.0.0.1', { 'x-real-ip': '10.0.0.1, 203.0.113.7' })).toThrow('x-real-ip must be an address');
  });
});

const TEXT = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 5, window: 1m }] }
`;

/** Every field that somebody has ever read an address from. */
const SPOOFS = Object.fromEntries(
  [
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
    'x-client-ip',
    'cf-connecting-ip',
    'true-client-ip',
    'x-cluster-client-ip',
  ]
    .concat(['fastly-client-ip', 'x-originating-ip', 'x-remote-ip', 'x-remote-addr', 'x-envoy-external-address', 'via'])
    .map((name) => [name, '198.51.100.66']),
);

describe('spoofed fields', () => {
  it.each([
    ['forward-auth', 'x-forwarded-for', undefined],
    ['auth-request', 'x-real-ip', undefined],
    ['forward-auth', 'cf-connecting-ip', 'CF-Connecting-IP'],
    ['auth-request', 'cf-connecting-ip', 'CF-Connecting-IP'],
  ])('change no key on %s, whose field is %s', async (endpoint, field, addressField) => {
    const server = await startTraffic(TEXT, { addressField });
    for (let i = 1; i <= 3; i += 1) {
      await server.ask(`/v1/${endpoint}/api`, { headers: { ...SPOOFS, [field]: '203.0.113.7' } });
    }
    const api = server.service.handle('api');
    expect(await api.inspect(ipKey('203.0.113.7'))).toMatchObject({ verdicts: [{ used: 3 }] });
    expect(await api.inspect(ipKey('198.51.100.66'))).toMatchObject({ verdicts: [{ used: 0 }] });
    await server.close();
  });

  it('change no key of those whom nobody trusts, who count by their own address', async () => {
    const server = await startTraffic(TEXT);
    const headers = { ...SPOOFS, 'x-forwarded-method': 'no method', 'sluice-request-id': 'again' };
    for (let i = 1; i <= 3; i += 1) {
      const { status } = await server.ask('/v1/forward-auth/api', { headers, from: '127.0.0.9' });
      expect(status).toBe(204);
    }
    expect(await server.service.handle('api').inspect(ipKey('127.0.0.9'))).toMatchObject({ verdicts: [{ used: 3 }] });
    await server.close();
  });

  it('cannot crowd out the field that the proxy adds at the end', async () => {
    const server = await startTraffic(TEXT);
    const crowd = Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`x-${i}`, '']));
    await server.ask('/v1/auth-request/api', { headers: { ...crowd, 'x-real-ip': '203.0.113.7' } });
    const api = server.service.handle('api');
    expect(await api.inspect(ipKey('203.0.113.7'))).toMatchObject({ verdicts: [{ used: 1 }] });
    await server.close();
  });
});
