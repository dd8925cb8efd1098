import { BlockList } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressList, addressMatcher } from '../../src/keys/address-list.js';

const matches = (entries: readonly string[], ip: string | undefined): boolean =>
  addressMatcher(entries, 'allowList')(ip);

describe('addressList', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.7', '::ffff:cb00:7107'],
    ['203.0.113.7', '203.0.113.7:5678'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['10.0.0.0/8', '10.255.255.255'],
    ['10.0.0.0/8', '::ffff:10.1.2.3'],
    ['10.1.2.3/8', '10.0.0.0'],
    ['0.0.0.0/0', '255.255.255.255'],
    ['255.255.255.255/32', '255.255.255.255'],
    ['128.0.0.0/1', '200.0.0.1'],
    ['2001:db8::/32', '2001:db8:ffff::1'],
    ['2001:db8::1', '2001:DB8:0:0:0:0:0:1'],
    ['2001:db8:8000::/33', '2001:db8:ffff::1'],
    ['::/0', '2001:db8::1'],
    ['::1', '[::1]:80'],
    ['fe80::/10', 'fe80::1%eth0'],
  ])('finds in %s the address %s', (entry, ip) => {
    expect(matches(['192.0.2.1', entry, '100::/64'], ip)).toBe(true);
  });

  it.each([
    ['203.0.113.7', '203.0.113.8'],
    ['10.0.0.0/8', '11.0.0.0'],
    ['10.0.0.0/8', '9.255.255.255'],
    ['128.0.0.0/1', '127.255.255.255'],
    ['2001:db8::/32', '2001:db9::1'],
    ['2001:db8:8000::/33', '2001:db8:7fff::1'],
    ['::/0', '203.0.113.7'],
    ['::/0', '::ffff:203.0.113.7'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['0.0.0.0/0', undefined],
    ['::/0', 'unknown'],
    ['10.0.0.0/8', '010.0.0.1'],
  ])('does not find in %s the address %s', (entry, ip) => {
    expect(matches([entry], ip)).toBe(false);
  });

  it('finds nothing in an empty list', () => {
    expect(matches([], '203.0.113.7')).toBe(false);
  });

  it.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/255.0.0.0',
    '10.0.0/8',
    '256.0.0.1',
    '10..30.40',
    '10.20.30.',
    '1.2.3.4.5',
    '010.0.0.1',
    '10.0.0.1:80',
    ' 10.0.0.1',
    '2001:db8::/129',
    '[::1]',
    'fe80::1%eth0',
    '64:ff9b::/96',
    '::ffff:10.0.0.0/104',
    7,
    null,
    undefined,
  ])('refuses the entry %p and names its index', (entry) => {
    expect(() => addressMatcher(['10.0.0.1', '::1', entry as string], 'allowList')).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'allowList[2]', received: entry }),
    );
  });

  it.each(['10.0.0.1', {}, null])('refuses %p instead of a list', (entries) => {
    expect(() => addressMatcher(entries as unknown as string[], 'denyList')).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'denyList' }),
    );
  });

  it('agrees with the block list of Node, except that ::/0 and similar ranges do not include IPv4', () => {
    const address = fc.oneof(
      fc.record({ family: fc.constant('ipv4' as const), ip: fc.ipV4() }),
      fc.record({
        family: fc.constant('ipv6' as const),
        // A number that begins with 0 may be IPv4 in another notation.
        ip: fc.ipV6().filter((ip) => !/^0*:|[.%]/.test(ip)),
      }),
    );
    fc.assert(
      fc.property(address, fc.nat(128), address, fc.boolean(), (range, bits, asked, isNear) => {
        const prefix = range.family === 'ipv4' ? bits % 33 : bits;
        const nodeList = new BlockList();
        nodeList.addSubnet(range.ip, prefix, range.family);
        const { ip, family } = isNear ? range : asked;
        fc.pre(range.family === 'ipv4' || family === 'ipv6');
        expect(matches([`${range.ip}/${prefix}`], ip)).toBe(nodeList.check(ip, family));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('A list of several ranges', () => {
  it('has the addresses of each of them, also if they overlap', () => {
    const range = fc.oneof(
      fc.tuple(
        fc.constantFrom('10.0.0.0', '10.1.0.0', '10.1.2.3', '203.0.113.7', '255.255.255.255'),
        fc.integer({ min: 0, max: 32 }),
      ),
      fc.tuple(
        fc.constantFrom('2001:db8::', '2001:db8:1::', '2001:db8:1::8000', 'ffff::', '::1'),
        fc.integer({ min: 0, max: 128 }),
      ),
    );
    const ranges = fc.array(
      range.map(([base, bits]) => `${base}/${bits}`),
      { maxLength: 6 },
    );
    const ip = fc.oneof(
      fc.constantFrom(
        '9.255.255.255',
        '10.0.0.0',
        '10.1.2.3',
        '10.1.2.4',
        '10.255.255.255',
        '11.0.0.0',
        '255.255.255.255',
      ),
      fc.constantFrom(
        '2001:db7:ffff::',
        '2001:db8::',
        '2001:db8:1::7fff',
        '2001:db8:1::8001',
        '2001:db9::',
        '::2',
        'ffff:ffff::',
      ),
      fc.ipV4(),
      fc.ipV6(),
    );
    fc.assert(
      fc.property(ranges, ip, (entries, asked) => {
        expect(matches(entries, asked)).toBe(entries.some((entry) => matches([entry], asked)));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('A list that is replaced', () => {
  it('is swapped as a whole, and stays as it is if an entry is wrong', () => {
    const list = addressList(['10.0.0.0/8']);
    const matches = addressMatcher(list, 'denyList');
    expect([matches('10.1.2.3'), matches('192.0.2.1')]).toEqual([true, false]);
    list.replace(['192.0.2.0/24', '2001:db8::/32']);
    expect([matches('10.1.2.3'), matches('192.0.2.1'), list.has('2001:db8::1')]).toEqual([false, true, true]);
    for (const wrong of [['10.0.0.0/8', '10.0.0.0/33'], '10.0.0.0/8', undefined, [7]])
      expect(() => list.replace(wrong as string[])).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
    expect([list.has('10.1.2.3'), list.has('192.0.2.1')]).toEqual([false, true]);
    list.replace([]);
    expect(list.has('192.0.2.1')).toBe(false);
  });

  it('is empty at first if nothing is given, and refuses wrong entries', () => {
    expect(addressList().has('10.1.2.3')).toBe(false);
    expect(() => addressList(['nobody'])).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'addressList[0]', received: 'nobody' }),
    );
  });
});
