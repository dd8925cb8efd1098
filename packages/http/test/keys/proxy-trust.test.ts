import { describe, expect, it } from '@jest/globals';
import { type ProxyTrust, proxyTrustOf } from '@sluice/core/http';

describe('The trusted proxies', () => {
  it.each<[setting: unknown, trust: ProxyTrust]>([
    [undefined, 'none'],
    [false, 'none'],
    [0, 'none'],
    [true, 'all'],
    [1, 'some'],
    ['loopback', 'some'],
    [['127.0.0.1'], 'some'],
    [() => true, 'some'],
  ])('of an Express request with the setting %p are: %s', (setting, trust) => {
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
  ])('of a Fastify request with the setting %p and the addresses %j are: %s', (trustProxy, ips, trust) => {
    const server = { [OPTIONS]: { trustProxy } };
    expect(proxyTrustOf({ server, ips })).toBe(trust);
    expect(proxyTrustOf({ server: Object.create(Object.create(server)), ips })).toBe(trust);
  });

  it('are those of the nearest scope', () => {
    const server = Object.create(
      { [OPTIONS]: { trustProxy: 'loopback' } },
      { [OPTIONS]: { value: { trustProxy: true } } },
    );
    expect(proxyTrustOf({ server, ips: ['127.0.0.1'] })).toBe('all');
  });

  it('are some if a Fastify server does not show its options', () => {
    expect(proxyTrustOf({ server: {}, ips: ['127.0.0.1'] })).toBe('some');
  });

  it('are unknown for a request without an application', () => {
    expect(proxyTrustOf({ ips: ['127.0.0.1'] })).toBeUndefined();
  });
});
