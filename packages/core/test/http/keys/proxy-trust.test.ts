import { describe, expect, it } from '@jest/globals';
import { type ProxyTrust, proxyTrustOf } from '@sluice/core/http';

describe('The proxies that are trusted', () => {
  it.each<[setting: unknown, trust: ProxyTrust]>([
    [undefined, 'none'],
    [false, 'none'],
    [0, 'none'],
    [true, 'all'],
    [1, 'some'],
    ['loopback', 'some'],
    [['127.0.0.1'], 'some'],
    [() => true, 'some'],
  ])('are, of an Express request whose setting is %p: %s', (setting, trust) => {
    const app = { get: (name: string) => (name === 'trust proxy' ? setting : 'another setting') };
    expect(proxyTrustOf({ app, ips: [] })).toBe(trust);
  });

  const OPTIONS = Symbol('fastify.options');

  it.each<[setting: unknown, ips: string[] | undefined, trust: ProxyTrust]>([
    [undefined, undefined, 'none'],
    [false, undefined, 'none'],
    [1, ['127.0.0.1'], 'none'],
    [1, ['127.0.0.1', '203.0.113.7'], 'some'],
    [['10.0.0.0/8'], ['127.0.0.1'], 'some'],
    [undefined, ['127.0.0.1'], 'some'],
    [true, ['127.0.0.1'], 'all'],
  ])('are, of a Fastify request whose setting is %p and whose addresses are %j: %s', (trustProxy, ips, trust) => {
    const server = { [OPTIONS]: { trustProxy } };
    expect(proxyTrustOf({ server, ips })).toBe(trust);
    expect(proxyTrustOf({ server: Object.create(Object.create(server)), ips })).toBe(trust);
  });

  it('are those of the scope that is nearest', () => {
    const server = Object.create(
      { [OPTIONS]: { trustProxy: 'loopback' } },
      { [OPTIONS]: { value: { trustProxy: true } } },
    );
    expect(proxyTrustOf({ server, ips: ['127.0.0.1'] })).toBe('all');
  });

  it('are some where a Fastify server does not tell its options', () => {
    expect(proxyTrustOf({ server: {}, ips: ['127.0.0.1'] })).toBe('some');
  });

  it('are not known of a request without an application', () => {
    expect(proxyTrustOf({ ips: ['127.0.0.1'] })).toBeUndefined();
  });
});
