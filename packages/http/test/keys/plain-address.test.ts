import { isIPv4, isIPv6 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { encodeKey } from '@sluice/core/src/values/key';
import { arbitraryText } from '@sluice/test-kit/arbitrary-text';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { subnetText } from '../../src/keys/address-text.js';
import { embeddedIpv4 } from '../../src/keys/embedded-ipv4.js';
import { addressIn, addressWithin, parseIp } from '../../src/keys/ip-address.js';
import { encodedKeyOfIp, ipKey } from '../../src/keys/ip-key.js';
import { type IpAddress, plainAddress } from '../../src/keys/plain-address.js';

describe('plainAddress', () => {
  it.each([
    ['203.0.113.7', 0xcb007107],
    ['0.0.0.0', 0],
    ['255.255.255.255', 0xffffffff],
    ['::ffff:203.0.113.7', 0xcb007107],
    ['::ffff:cb00:7107', 0xcb007107],
    ['64:ff9b::cb00:7107', 0xcb007107],
    ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
    ['::1', [0, 0, 0, 0, 0, 0, 0, 1]],
    ['2001:db8::', [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0]],
    ['1:2:3:4:5:6:7:8', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['1:2:3:4:5:6:7::', [1, 2, 3, 4, 5, 6, 7, 0]],
    ['::2:3:4:5:6:7:8', [0, 2, 3, 4, 5, 6, 7, 8]],
    ['1:2::7:8', [1, 2, 0, 0, 0, 0, 7, 8]],
    ['ABCD:EF01::', [0xabcd, 0xef01, 0, 0, 0, 0, 0, 0]],
  ])('reads %s', (text, address) => {
    expect(plainAddress(text)).toEqual(address);
  });

  it.each(['64:ff9b::203.0.113.7', 'fe80::1%eth0', '[::1]', '203.0.113.7:80', ' 203.0.113.7', '::FFFF:203.0.113.7'])(
    'leaves %j, which is an address, to the general parser',
    (text) => {
      expect(plainAddress(text)).toBeUndefined();
      expect(addressIn(text)).toBeDefined();
    },
  );

  it.each([
    '',
    ':',
    ':::',
    '1:',
    ':1',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:',
    '1:2:3:4:5:6:7:8::',
    '::1:',
    '12345::',
    'g::',
    '1.2.3',
    '::ffff:1.2.3.4:80',
  ])('reads no address from %j', (text) => {
    expect(plainAddress(text)).toBeUndefined();
    expect(addressIn(text)).toBeUndefined();
  });

  it('reads all that it reads as the general parser does', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const plain = plainAddress(text);
        if (plain !== undefined) expect(plain).toEqual(addressWithin(text));
        expect(addressIn(text)).toEqual(addressWithin(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it('reads every IPv4 address, and every IPv6 address in hexadecimal', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6().filter((ip) => !ip.includes('.')),
        ),
        (ip) => {
          expect(plainAddress(ip)).toEqual(addressWithin(ip));
          expect(plainAddress(ip)).toBeDefined();
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

/** Reads an address with Node and the library alone. The library reads `::1.2.3.4` as `::ffff:1.2.3.4`. */
function asLibrary(text: string): IpAddress | undefined {
  const [address = ''] = text.split('%', 1);
  if (isIPv4(text)) return ipv4(text);
  if (!isIPv6(address)) return undefined;
  const words = address.replace(/[\d.]+$/, (end) => (end.includes('.') ? inWords(ipv4(end)) : end));
  const { parts } = ipaddr.IPv6.parse(words);
  return embeddedIpv4(parts) ?? parts;
}

const ipv4 = (text: string): number => ipaddr.IPv4.parse(text).octets.reduce((sum, octet) => sum * 256 + octet, 0);

const inWords = (address: number): string =>
  `${Math.floor(address / 65_536).toString(16)}:${(address % 65_536).toString(16)}`;

describe('parseIp', () => {
  it('reads all texts as Node and the library do', () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((end) => `64:ff9b::${end}`),
    );
    const text = fc.oneof(
      hostileText,
      address,
      address.map((ip) => `${ip}%eth0`),
      address.map((ip) => `${ip}0`),
    );
    fc.assert(
      fc.property(text, (one) => {
        expect(parseIp(one)).toEqual(asLibrary(one));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('encodedKeyOfIp', () => {
  it('is the encoding of ipKey for every text', () => {
    const text = fc.oneof(
      hostileText,
      fc.ipV4(),
      fc.ipV6(),
      arbitraryText({ maxLength: 200 }),
      fc.string({ unit: 'binary-ascii' }),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 32, max: 128 }), (ip, subnet) => {
        expect(encodedKeyOfIp(ip, subnet)).toBe(encodeKey(ipKey(ip, subnet)));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each(['\ud800', '~x', 'x'.repeat(200), ''])('is the encoding of ipKey for %j', (ip) => {
    expect(encodedKeyOfIp(ip, 56)).toBe(encodeKey(ipKey(ip)));
  });
});

describe('subnetText', () => {
  it('writes every network as the library does', () => {
    const word = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(0xffff));
    const words = fc.array(word, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 128 }), (address, bits) => {
        const masked = address.map((part, i) => part & ~(0xffff >> Math.max(0, Math.min(16, bits - 16 * i))));
        expect(subnetText(address, bits)).toBe(`${new ipaddr.IPv6(masked).toRFC5952String()}/${bits}`);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** Addresses in many notations, changed in a few places, and text made of what addresses are made of. */
const part = fc.oneof(
  fc.constantFrom(
    ':',
    '::',
    '.',
    '%',
    '[',
    ']',
    '/',
    ' ',
    '0',
    '00',
    '1',
    '9',
    'f',
    'F',
    'g',
    'ffff',
    '10',
    '255',
    '256',
    '12345',
  ),
  fc.ipV4(),
  fc.nat(0xffff).map((word) => word.toString(16)),
  arbitraryText({ maxLength: 2 }),
);
const groups = fc
  .array(
    fc.oneof(
      fc.nat(0xffff).map((word) => word.toString(16)),
      fc.constantFrom('', '0', '0000', 'FFFF', '1.2.3.4'),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(':'));
const changed = fc
  .tuple(
    fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((ip) => `::ffff:${ip}`),
    ),
    fc.nat(40),
    fc.nat(2),
    part,
  )
  .map(([ip, at, removed, added]) => ip.slice(0, at) + added + ip.slice(at + removed));
const hostileText = fc.oneof(
  fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
  groups,
  changed,
  fc.ipV6(),
);
