import { describe, expect, it } from '@jest/globals';
import { callerCheck } from '../../src/trust/caller-check.js';

const { knows } = callerCheck({ callTokens: ['first-token', 'second-token'], trustedProxies: ['10.0.0.0/8'] });

describe('the check of callers', () => {
  it.each([
    ['this machine', '127.0.0.1', undefined, true],
    ['this machine in IPv6', '::1', undefined, true],
    ['this machine, as a socket for both shows it', '::ffff:127.0.0.1', undefined, true],
    ['a trusted proxy', '10.1.2.3', undefined, true],
    ['a stranger', '192.0.2.1', undefined, false],
    ['a stranger with a token', '192.0.2.1', 'Bearer first-token', true],
    ['a stranger with another token, and the scheme in small letters', '192.0.2.1', 'bearer second-token', true],
    ['a wrong token', '192.0.2.1', 'Bearer third-token', false],
    ['the beginning of a token', '192.0.2.1', 'Bearer first', false],
    ['another scheme', '192.0.2.1', 'Basic first-token', false],
    ['a token without a scheme', '192.0.2.1', 'first-token', false],
    ['an empty token', '192.0.2.1', 'Bearer ', false],
    ['a connection without an address', undefined, undefined, false],
    ['a connection without an address, with a token', undefined, 'Bearer first-token', true],
  ])('knows %s, or does not', (_, peer, authorization, expected) => {
    expect(knows(peer, authorization)).toBe(expected);
  });

  it('knows nobody by an empty token if there are no tokens', () => {
    expect(callerCheck({ callTokens: [], trustedProxies: [] }).knows('192.0.2.1', 'Bearer ')).toBe(false);
  });

  it('knows this machine, too, if other proxies are trusted', () => {
    expect(callerCheck({ callTokens: [], trustedProxies: ['10.0.0.1'] }).knows('127.0.0.1', undefined)).toBe(true);
  });

  it('refuses an entry that is no address', () => {
    expect(() => callerCheck({ callTokens: [], trustedProxies: ['proxy.test'] })).toThrow('trustedProxies[0]');
  });
});
