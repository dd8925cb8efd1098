import { describe, expect, it } from '@jest/globals';
import { type ProxyTrust, trustIn, underSymbol } from '@sluice/core/http';

describe('A setting of trust', () => {
  it.each<[setting: unknown, trust: ProxyTrust]>([
    [undefined, 'none'],
    [false, 'none'],
    [0, 'none'],
    [true, 'all'],
    [1, 'some'],
    ['loopback', 'some'],
    [['127.0.0.1'], 'some'],
    [() => true, 'some'],
  ])('of %p trusts %s', (setting, trust) => {
    expect(trustIn(setting)).toBe(trust);
  });

  it.each<[setting: unknown, ips: string[], trust: ProxyTrust]>([
    [1, ['127.0.0.1'], 'none'],
    [1, ['127.0.0.1', '203.0.113.7'], 'some'],
    [['10.0.0.0/8'], ['127.0.0.1'], 'some'],
    [undefined, ['127.0.0.1'], 'some'],
    [true, ['127.0.0.1'], 'all'],
  ])('of %p trusts whom the addresses %j show: %s', (setting, ips, trust) => {
    expect(trustIn(setting, ips)).toBe(trust);
  });
});

describe('underSymbol', () => {
  const server = { [Symbol('options')]: 'own' };

  it('finds what an object, or the nearest that it inherits from, keeps under a symbol', () => {
    expect(underSymbol(server, 'options')).toBe('own');
    expect(underSymbol(Object.create(Object.create(server)), 'options')).toBe('own');
    expect(underSymbol(Object.create(server, { [Symbol('options')]: { value: 'nearer' } }), 'options')).toBe('nearer');
  });

  it('finds nothing where there is nothing', () => {
    expect(underSymbol({ options: 'by name' }, 'options')).toBeUndefined();
    expect(underSymbol(null, 'options')).toBeUndefined();
  });
});
