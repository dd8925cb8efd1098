import { describe, expect, it } from '@jest/globals';
import { encodeKey } from '@sluice/core/src/values/key';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import fc from 'fast-check';
import { ipKey } from '../../src/keys/ip-key.js';

const textOf = (ip: string, subnet?: number): string => ipKey(ip, subnet)[1];

describe('ipKey', () => {
  it.each([
    // IPv4
    ['203.0.113.7', '203.0.113.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['203.0.113.7:', '203.0.113.7'],
    [' 203.0.113.7\t', '203.0.113.7'],
    // IPv4 in IPv6
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['0000:0000:0000:0000:0000:ffff:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['::ffff:203.0.113.7%eth0', '203.0.113.7'],
    ['::ffff:0.0.0.1', '0.0.0.1'],
    ['::ffff:0:203.0.113.7', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '203.0.113.7'],
    ['0064:FF9B:0:0:0:0:203.0.113.7', '203.0.113.7'],
    ['::203.0.113.7', '203.0.113.7'],
    ['::cb00:7107', '203.0.113.7'],
    // almost IPv4
    ['::', '::/56'],
    ['::1', '::/56'],
    ['::0.0.0.1', '::/56'],
    ['64:ff9b:1::203.0.113.7', '64:ff9b:1::/56'],
    ['64:ff9a::203.0.113.7', '64:ff9a::/56'],
    ['65:ff9b::203.0.113.7', '65:ff9b::/56'],
    ['64:ff9b::1:203.0.113.7', '64:ff9b::/56'],
    ['::fffe:203.0.113.7', '::/56'],
    ['::1:0:0:ffff:203.0.113.7', '0:0:1::/56'],
    // IPv6 by subnet
    ['2001:db8:0:100::1', '2001:db8:0:100::/56'],
    ['2001:db8:0:1ff:ffff:ffff:ffff:ffff', '2001:db8:0:100::/56'],
    ['2001:db8:0:200::1', '2001:db8:0:200::/56'],
    ['2001:0DB8:0000:0100:0000:0000:0000:0001', '2001:db8:0:100::/56'],
    ['[2001:db8:0:100::1]:443', '2001:db8:0:100::/56'],
    ['[2001:db8:0:100::1]', '2001:db8:0:100::/56'],
    ['  2001:db8:0:100::1\r\n', '2001:db8:0:100::/56'],
    ['1:2:3:4:5:6:7::', '1:2:3::/56'],
    ['::2:3:4:5:6:7:8', '0:2:3::/56'],
    ['1:2:3:456:5:6:203.0.113.7', '1:2:3:400::/56'],
    ['fe80::1%eth0', 'fe80::/56'],
    ['[fe80::1%25eth0]:443', 'fe80::/56'],
    ['fe80::1%', 'fe80::/56'],
  ])('counts %s as %s', (ip, text) => {
    expect(ipKey(ip)).toEqual(['ip', text]);
  });

  it.each([
    [32, '2001:db8::/32'],
    [33, '2001:db8:8000::/33'],
    [48, '2001:db8:ffff::/48'],
    [64, '2001:db8:ffff:ffff::/64'],
    [72, '2001:db8:ffff:ffff:100::/72'],
    [128, '2001:db8:ffff:ffff:123::1/128'],
  ])('groups IPv6 by %i bits', (subnet, text) => {
    expect(textOf('2001:db8:ffff:ffff:0123::1', subnet)).toBe(text);
  });

  it.each([
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1/128'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1/128'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
    ['2001:db8:0:0:1:1:0:0', '2001:db8::1:1:0:0/128'],
  ])('writes %s as RFC 5952 does', (ip, text) => {
    expect(textOf(ip, 128)).toBe(text);
  });

  it.each([
    '',
    ' ',
    'unknown',
    '_hidden',
    '010.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '1..3.4',
    '.1.2.3.4',
    '1.2.3.4.',
    '1.2.3.4%eth0',
    '256.0.0.1:80',
    '1.2.3:80',
    '1.2.3.4.5:80',
    '10..30.40:80',
    '10.20.30.:80',
    '1.2.3.4:http',
    '1.2.3.4:567890',
    '[1.2.3.4]:80',
    '1.2.3.4, 5.6.7.8',
    '::ffff:010.0.0.1',
    '::ffff:127.1',
    '1::2::3',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '[::1',
    '[::1]443',
    '::1]',
    '[]',
    '%eth0',
    'g::1',
    '__proto__',
    'constructor',
    '\u0000\u001f',
    '\ud800',
  ])('leaves %j, which is no address, as it is', (text) => {
    expect(ipKey(text)).toEqual(['ip', text]);
    expect(encodeKey(ipKey(text)).length).toBeLessThanOrEqual(128);
  });

  it('counts 10 MB of text under a short key without delay', () => {
    for (const text of [':'.repeat(1e7), 'f:'.repeat(5e6), `[${'1'.repeat(1e7)}]:1`, '1.'.repeat(5e6)]) {
      expect(encodeKey(ipKey(text)).length).toBeLessThanOrEqual(128);
    }
  });

  it.each([31, 129, 56.5, Number.NaN, '56' as unknown as number])('refuses a subnet of %p bits', (subnet) => {
    expect(() => ipKey('::1', subnet)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'ipv6Subnet' }));
  });

  it('returns the key of the subnet for every notation of an IPv6 address, as the WHATWG URL parser writes it', () => {
    fc.assert(
      fc.property(ipv6Words, fc.infiniteStream(fc.nat(5)), (words, choices) => {
        fc.pre(!isIpv4InIpv6(words));
        const canonical = new URL(`http://[${words.map(hex).join(':')}]`).hostname.slice(1, -1);
        expect(textOf(spelling(words, choices), 128)).toBe(`${canonical}/128`);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns one key for every notation of an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.infiniteStream(fc.nat(5)), (ip, choices) => {
        const [a, b, c, d] = ip.split('.').map(Number) as [number, number, number, number];
        const prefix = [
          [0, 0, 0, 0, 0, 0xffff],
          [0x64, 0xff9b, 0, 0, 0, 0],
          [0, 0, 0, 0, 0xffff, 0],
        ];
        for (const six of prefix) expect(textOf(spelling([...six, a * 256 + b, c * 256 + d], choices))).toBe(ip);
        expect(textOf(` ${ip}:${d}`)).toBe(ip);
      }),
      { numRuns: 1000 },
    );
  });

  it('throws for no text, and returns different keys for different garbage', () => {
    fc.assert(
      fc.property(arbitraryText(), arbitraryText(), (one, other) => {
        fc.pre(one !== other && !/[\d:]/.test(one + other));
        expect(encodeKey(ipKey(one))).not.toBe(encodeKey(ipKey(other)));
      }),
    );
  });

  it.each([undefined, null, 7])('refuses %p, which a request without an address may have', (ip) => {
    expect(() => ipKey(ip as unknown as string)).toThrow(expect.objectContaining({ code: 'SLUICE_KEY' }));
  });
});

const ipv6Words = fc.array(fc.oneof(fc.constant(0), fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });

const hex = (word: number): string => word.toString(16);

function isIpv4InIpv6(words: readonly number[]): boolean {
  return ['0,0,0,0,0,0', '0,0,0,0,0,65535', '0,0,0,0,65535,0', '100,65435,0,0,0,0'].includes(words.slice(0, 6).join());
}

/**
 * One of the ways to write an address: any run of zeros left out, digits padded, in either case, the end as IPv4,
 * things around.
 */
function spelling(words: readonly number[], choices: Iterator<number>): string {
  const choose = (): number => choices.next().value as number;
  const parts = words.map((word) => (choose() > 2 ? hex(word) : hex(word).padStart(4, '0')));
  if (choose() > 3) {
    const [high, low] = words.slice(6) as [number, number];
    parts.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join('.'));
  }
  const starts = parts.map((part, i) => (/^0+$/.test(part) ? i : -1)).filter((i) => i >= 0);
  const start = starts[choose() % Math.max(1, starts.length)];
  let text = parts.join(':');
  if (start !== undefined && choose() > 0) {
    let end = start;
    while (end < parts.length && /^0+$/.test(parts[end] as string)) end += 1;
    text = `${parts.slice(0, start).join(':')}::${parts.slice(end).join(':')}`;
  }
  if (choose() > 2) text = text.toUpperCase();
  if (choose() > 3) text += '%eth0';
  if (choose() > 3) text = `[${text}]:8080`;
  return choose() > 3 ? `\t${text} ` : text;
}
